package dev.onceward.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loopback proxy that can break the connections that run through it: between a client and
 * PostgreSQL, or a broker that {@linkplain KafkaSettings.Builder#advertisedPort advertises} the
 * proxy's port. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TcpProxy.class);
  private static final int CHUNK = 64 * 1024;
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock gate = new ReentrantLock();
  private final Condition opened = gate.newCondition();
  private boolean frozen;
  private volatile Duration delay = Duration.ZERO;
  private volatile @Nullable InetSocketAddress target;
  private @Nullable ServerSocket listener;
  private @Nullable Thread acceptor;
  private boolean closed;

  private TcpProxy() {
    this.port = listen(0);
  }

  /** A proxy to a port of this machine. */
  public static TcpProxy to(int port) {
    return open().target(port);
  }

  /** A proxy that cuts each connection until it has a {@linkplain #target target}. */
  public static TcpProxy open() {
    return new TcpProxy();
  }

  /** Sends new connections to this port of this machine. */
  public TcpProxy target(int port) {
    target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return this;
  }

  /** The port to connect to. */
  public int port() {
    return port;
  }

  /** Resets all connections; new ones are let through. */
  public void cut() {
    sockets.forEach(TcpProxy::reset);
    sockets.clear();
  }

  /** Resets all connections and refuses new ones, until {@link #accept()}. */
  public synchronized void refuse() {
    if (listener != null) {
      closeQuietly(listener);
      listener = null;
      // The system goes on listening until the accepting thread has let go.
      awaitAcceptor();
    }
    cut();
  }

  /** Lets connections through again after {@link #refuse()}. */
  public synchronized void accept() {
    if (closed) {
      throw new TestkitException("the proxy is closed");
    }
    if (listener == null) {
      listen(port);
    }
  }

  /** Holds back what is sent, in both directions and each chunk of at most 64 KiB, for so long. */
  public void delay(Duration delay) {
    this.delay = delay;
  }

  /** Lets connections hang: they stay open and nothing passes, until {@link #thaw()}. */
  public void freeze() {
    setFrozen(true);
  }

  /** Lets frozen connections go on, with what was sent meanwhile. */
  public void thaw() {
    setFrozen(false);
  }

  /** How many connections run through the proxy. */
  public int connections() {
    return sockets.size() / 2;
  }

  private void setFrozen(boolean value) {
    gate.lock();
    try {
      frozen = value;
      opened.signalAll();
    } finally {
      gate.unlock();
    }
  }

  private synchronized int listen(int wanted) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted));
      listener = socket;
      acceptor = start("accept", () -> acceptFrom(socket));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new TestkitException("cannot listen on port " + wanted + ": " + e.getMessage(), e);
    }
  }

  private void acceptFrom(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        sockets.add(client);
        start("connect", () -> connect(client));
      } catch (IOException e) {
        // How a closed listener ends; anything else shows as a connection that fails.
        log.debug("proxy port {} accepted nothing", port, e);
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    sockets.add(server);
    InetSocketAddress to = target;
    try {
      if (to == null) {
        throw new IOException("no target");
      }
      server.connect(to, CONNECT_TIMEOUT_MS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      log.debug("proxy port {} cannot reach {}", port, to, e);
      broken(client, server);
      return;
    }
    start("up", () -> pump(client, server));
    start("down", () -> pump(server, client));
  }

  private void pump(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        Thread.sleep(delay.toMillis());
        awaitGate();
        out.write(chunk, 0, n);
      }
      to.shutdownOutput();
      if (from.isOutputShutdown()) {
        ended(from, to);
      }
    } catch (IOException e) {
      log.debug("connection through proxy port {} broke", port, e);
      broken(from, to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      broken(from, to);
    }
  }

  private void awaitGate() throws InterruptedException {
    gate.lock();
    try {
      while (frozen) {
        opened.await();
      }
    } finally {
      gate.unlock();
    }
  }

  private void ended(Socket from, Socket to) {
    closeQuietly(from);
    closeQuietly(to);
    sockets.remove(from);
    sockets.remove(to);
  }

  /** What breaks one side breaks the other, and not in order. */
  private void broken(Socket from, Socket to) {
    reset(from);
    reset(to);
    sockets.remove(from);
    sockets.remove(to);
  }

  private void awaitAcceptor() {
    try {
      if (acceptor != null) {
        acceptor.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while closing proxy port " + port, e);
    }
  }

  private Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, "tcp-proxy-" + port + "-" + name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void reset(Socket socket) {
    try {
      // no lingering: the peer sees a reset, as from a host that went away
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      log.debug("socket is closed already", e);
    }
    closeQuietly(socket);
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      log.debug("socket did not close in order", e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    refuse();
    thaw();
  }
}
