package dev.onceward.it.scene;

/** The data of the tests' events. */
public record Note(String text) {}
