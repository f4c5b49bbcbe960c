package dev.onceward.dedupe;

class BatchEqualsSinglesTest extends BatchEqualsSingles {
  BatchEqualsSinglesTest() {
    super(new TestDatabase());
  }
}
