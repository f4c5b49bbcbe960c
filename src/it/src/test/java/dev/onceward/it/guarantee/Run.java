package dev.onceward.it.guarantee;

import dev.onceward.consumer.Delivery;
import org.apache.kafka.common.TopicPartition;

/**
 * One attempt at one record in one member, from the routing of the event to the commit of its
 * effect. Two runs are equal only if they are the same object's.
 */
final class Run {

  final String member;
  final Lane lane;
  final long offset;
  final int attempt;
  final Plan plan;

  Run(String member, Lane lane, long offset, int attempt, Plan plan) {
    this.member = member;
    this.lane = lane;
    this.offset = offset;
    this.attempt = attempt;
    this.plan = plan;
  }

  static Run of(String member, Delivery delivery) {
    TopicPartition partition = new TopicPartition(delivery.topic(), delivery.partition());
    return new Run(
        member,
        Lane.of(partition, delivery.record().key()),
        delivery.offset(),
        delivery.attempt(),
        Plan.of(delivery.event().getId()));
  }

  TopicPartition partition() {
    return lane.partition();
  }

  @Override
  public String toString() {
    return "%s@%d (key %s, number %d of it, attempt %d, in %s)"
        .formatted(partition(), offset, lane.key(), plan.seq(), attempt, member);
  }
}
