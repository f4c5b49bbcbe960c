package dev.onceward.dedupe;

class BatchEqualsSinglesOnH2Test extends BatchEqualsSingles {
  BatchEqualsSinglesOnH2Test() {
    super(new H2Database());
  }
}
