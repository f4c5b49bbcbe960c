package dev.onceward.examples.samples;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

record StrictOrder(
    @JsonProperty(required = true) String orderId,
    @JsonProperty(required = true) long amountCents,
    Optional<String> voucher) {}
