package dev.outbox.kafka.internal.inbox;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where an inbox receives its records from, and what it does with them. */
public record InboxSettings(String name, Source source, Target target, Rules rules) {

    /** Topics, consumer group and number of consumers. */
    public record Source(List<String> topics, String group, int concurrency) {

        public Source {
            topics = List.copyOf(topics);
        }
    }

    /** Prefix of the aggregate types, and the stream unless the configuration of the streams decides. */
    public record Target(
            String aggregateTypePrefix, @Nullable String stream) {}

    /** How long to hold back an event behind a gap, or none, and what happens to late events and to those that no handler takes. */
    public record Rules(@Nullable Duration gapTimeout, Late late, UnknownTypes unknownTypes) {

        boolean holdsGaps() {
            return gapTimeout != null;
        }
    }

    /** Returns the id of the handler of records that were refused or held back. */
    public String handlerId() {
        return "kafka-inbox-" + name;
    }
}
