package dev.onceward.producer.internal.outbox;

/** The parts of a relay that work together on its loop. */
record RelayParts(
    EventLoop loop,
    Shards shards,
    Traffic traffic,
    Topics topics,
    Reader reader,
    Remover remover,
    ShardQueries queries,
    DatabaseThread reading,
    DatabaseThread removing,
    Counters counters) {}
