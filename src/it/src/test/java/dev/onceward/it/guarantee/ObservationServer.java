package dev.onceward.it.guarantee;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets members in JVMs of their own be observed. Each of their runs waits until the observer has
 * noted its beginning, and its engine until the end is noted; so what is seen here is in the order
 * in which it happens. A connection that breaks during a run is a process that died.
 */
final class ObservationServer implements AutoCloseable {

  private final Observer observer;
  private final ServerSocket server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  ObservationServer(Observer observer) {
    this.observer = observer;
    try {
      server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Fails if an observation did; none is missing otherwise. */
  void rethrow() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError("a member could not be observed", thrown);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        threads.execute(() -> observe(socket));
      }
    } catch (SocketException e) {
      if (!server.isClosed()) {
        failure.compareAndSet(null, e);
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void observe(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream out =
            new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
      socket.setTcpNoDelay(true);
      String member = in.readUTF();
      while (true) {
        observeRun(in, out, member);
      }
    } catch (EOFException | SocketException e) {
      // the process has ended; a run that it leaves behind has been told of
    } catch (IOException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void observeRun(DataInputStream in, DataOutputStream out, String member)
      throws IOException {
    Run run = Wire.readRun(in, member);
    observer.begun(run);
    End end = End.VANISHED;
    try {
      out.write(Wire.NOTED);
      out.flush();
      end = End.valueOf(in.readUTF());
    } finally {
      observer.ended(run, end);
    }
    out.write(Wire.NOTED);
    out.flush();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      threads.shutdownNow();
    }
  }
}
