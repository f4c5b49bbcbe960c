package dev.onceward.it.engine;

/** The data of the tests' events. */
record Note(String text) {}
