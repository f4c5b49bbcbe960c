package dev.onceward.dedupe.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Work on the inbox's tables that belongs to no event. */
public final class Maintenance {
  private final DataSource dataSource;
  private final Dialect dialect;
  private final Diagnosis diagnosis;

  public Maintenance(DataSource dataSource, Dialect dialect, Diagnosis diagnosis) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.diagnosis = diagnosis;
  }

  public void createSchema() {
    run("create the inbox's tables", dialect::createSchema);
  }

  public void maintain() {
    run("maintain the inbox's tables", dialect::maintain);
  }

  private void run(String what, Work work) {
    try (BorrowedConnection borrowed = BorrowedConnection.open(dataSource, dialect, diagnosis)) {
      try {
        work.on(borrowed.connection());
      } catch (SQLException | RuntimeException e) {
        borrowed.rollbackAfter(e);
        throw e;
      }
    } catch (SQLException e) {
      throw diagnosis.failed(what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw diagnosis.interrupted(what, e);
    }
  }

  /** Commits what it does. */
  private interface Work {
    void on(Connection connection) throws SQLException;
  }
}
