package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.inbox.InboxMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;

/** Counts the records of inboxes in the meter {@code outbox.kafka.inbox}, with the tags {@code inbox} and {@code result}. */
final class InboxMeters implements InboxMeter {

    private final MeterRegistry registry;

    InboxMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void count(String inbox, Result result, long records) {
        Counter.builder("outbox.kafka.inbox")
                .description("Records of an inbox by what became of them")
                .tag("inbox", inbox)
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment((double) records);
    }
}
