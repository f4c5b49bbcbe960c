package dev.onceward.dedupe;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Stands between client and server on the loopback and cuts the line at a chosen request. */
final class CuttableProxy implements AutoCloseable {
  /** When to cut. */
  enum Cut {
    BEFORE_SENDING,
    /** The server has done it, the client never learns. */
    AFTER_ANSWER
  }

  private record Order(String text, Cut cut) {}

  private volatile boolean closed;
  private final ServerSocket server;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile @Nullable Order order;

  CuttableProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accept", this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Cuts once, at the next request that holds {@code text}. */
  void arm(String text, Cut cut) {
    order = new Order(text, cut);
  }

  @Override
  public void close() throws IOException {
    closed = true;
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket backend = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.add(client);
      sockets.add(backend);
      if (closed) {
        // it came in before the end and was added after it
        client.close();
        backend.close();
        return;
      }
      Line line = new Line(client, backend);
      start("requests", line::requests);
      start("answers", line::answers);
    }
  }

  private static void start(String name, IoTask task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // One end has closed: that is how every line ends.
              }
            },
            "cuttable-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private interface IoTask {
    void run() throws IOException;
  }

  private final class Line {
    private final Socket client;
    private final Socket backend;
    private volatile boolean cutAtAnswer;

    Line(Socket client, Socket backend) {
      this.client = client;
      this.backend = backend;
    }

    void requests() throws IOException {
      pump(client.getInputStream(), backend.getOutputStream(), true);
    }

    void answers() throws IOException {
      pump(backend.getInputStream(), client.getOutputStream(), false);
    }

    private void pump(InputStream in, OutputStream out, boolean request) throws IOException {
      try (client;
          backend) {
        byte[] buffer = new byte[65_536];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (request && cutsBefore(new String(buffer, 0, read, StandardCharsets.ISO_8859_1))) {
            return;
          }
          if (!request && cutAtAnswer) {
            return;
          }
          out.write(buffer, 0, read);
          out.flush();
        }
      }
    }

    private boolean cutsBefore(String text) {
      Order current = order;
      if (current == null || !text.contains(current.text())) {
        return false;
      }
      order = null;
      cutAtAnswer = current.cut() == Cut.AFTER_ANSWER;
      return !cutAtAnswer;
    }
  }
}
