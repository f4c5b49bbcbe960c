package dev.onceward.dedupe.internal.portable;

import dev.onceward.dedupe.internal.TableNames;

/** The tables' names as statements use them. Immutable. */
final class PortableTables {
  final Flavor flavor;
  final String handler;
  final String window;
  final String processedEvent;
  final String entityVersion;
  final String fence;

  /** What stands in front of the tables' own prefix. */
  final String qualifier;

  PortableTables(Flavor flavor, TableNames names) {
    this.flavor = flavor;
    this.qualifier = names.schema() == null ? "" : flavor.quoted(names.schema()) + ".";
    this.handler = qualifier + names.handler();
    this.window = qualifier + names.window();
    this.processedEvent = qualifier + names.processedEvent();
    this.entityVersion = qualifier + names.entityVersion();
    this.fence = qualifier + names.fence();
  }

  Sql sql() {
    return new Sql(flavor);
  }

  /** The number of a handler by its name, to be completed with the name and a bracket. */
  String numberOf() {
    return "(SELECT id FROM " + handler + " WHERE name = ";
  }
}
