package dev.onceward.examples;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build has written beside this class. */
final class Version implements IVersionProvider {

  private static final String FILE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("no " + FILE + " beside " + Version.class.getName());
      }
      properties.load(in);
    }
    return new String[] {"Onceward examples " + properties.getProperty("version")};
  }
}
