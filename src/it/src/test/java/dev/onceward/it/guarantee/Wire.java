package dev.onceward.it.guarantee;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.kafka.common.TopicPartition;

/** How a member in a JVM of its own tells the observer of its runs: one run at a time, in turn. */
final class Wire {

  /** What the observer answers when it has taken note. */
  static final int NOTED = 1;

  private Wire() {}

  static void writeRun(DataOutputStream out, Run run) throws IOException {
    out.writeUTF(run.partition().topic());
    out.writeInt(run.partition().partition());
    out.writeLong(run.offset);
    out.writeUTF(run.lane.key());
    out.writeInt(run.attempt);
    out.writeUTF(run.plan.id());
    out.flush();
  }

  static Run readRun(DataInputStream in, String member) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    long offset = in.readLong();
    Lane lane = new Lane(partition, in.readUTF());
    return new Run(member, lane, offset, in.readInt(), Plan.of(in.readUTF()));
  }
}
