package dev.onceward.testkit.internal;

import dev.onceward.testkit.TestkitException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports below the range that operating systems give to outgoing connections. A server
 * that restarts needs its port again, and a client that keeps dialling a port of that range can
 * connect to itself and hold it.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int LAST = 32_000;

  private Ports() {}

  public static int free() {
    for (int i = 0; i < 1_000; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new TestkitException("no free loopback port between " + FIRST + " and " + LAST);
  }

  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
