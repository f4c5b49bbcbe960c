package dev.onceward.it.guarantee;

import dev.onceward.consumer.Interceptor;
import dev.onceward.consumer.Outcome;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The observer's hand in a member's own JVM. Thread-safe. */
final class RemoteObserver implements Interceptor {

  private final String member;
  private final int port;
  private final ConcurrentLinkedQueue<Connection> idle = new ConcurrentLinkedQueue<>();

  RemoteObserver(String member, int port) {
    this.member = member;
    this.port = port;
  }

  @Override
  public Outcome intercept(Chain chain) throws Exception {
    Connection connection = idle.poll();
    if (connection == null) {
      connection = new Connection(new Socket(InetAddress.getLoopbackAddress(), port), member);
    }
    connection.begun(Run.of(member, chain.delivery()));
    End end = End.CUT_SHORT;
    try {
      Outcome outcome = chain.proceed(chain.delivery());
      end = Observer.end(outcome);
      return outcome;
    } catch (Exception e) {
      end = Observer.end(e);
      throw e;
    } finally {
      connection.ended(end);
      idle.add(connection);
    }
  }

  /** One run at a time. Sockets are deaf to interrupts of platform threads, so none breaks it. */
  private static final class Connection {
    private final DataInputStream in;
    private final DataOutputStream out;

    Connection(Socket socket, String member) throws IOException {
      socket.setTcpNoDelay(true);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      out.writeUTF(member);
    }

    void begun(Run run) throws IOException {
      Wire.writeRun(out, run);
      awaitNoted();
    }

    void ended(End end) throws IOException {
      out.writeUTF(end.name());
      out.flush();
      awaitNoted();
    }

    private void awaitNoted() throws IOException {
      if (in.read() != Wire.NOTED) {
        // the test is over: nothing may run that it does not see
        Runtime.getRuntime().halt(MemberApp.UNOBSERVED);
      }
    }
  }
}
