package dev.outbox.internal.runtime;

import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.maintenance.RetentionSettings;
import dev.outbox.internal.processing.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.StreamRouting;
import dev.outbox.internal.store.OutboxSchema;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** How the outbox works. */
public record RuntimeSettings(
        Schemas schemas,
        PublisherSettings publisher,
        Polling polling,
        DispatchSettings dispatch,
        RetentionSettings retention) {

    /** The stream of events that nothing sends elsewhere. */
    public static final String DEFAULT_STREAM = StreamRouting.DEFAULT_STREAM;

    /** Checks that every stream to which events are sent is known. */
    public RuntimeSettings {
        Set<String> unknown = new TreeSet<>(publisher.routing().streams());
        unknown.removeAll(polling.streams().keySet());
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("routing must lead to configured streams: " + unknown);
        }
    }

    /** Where the tables are. */
    public record Schemas(OutboxSchema outbox, OutboxSchema archive) {

        /** Returns the default: {@code events} and {@code audit}. */
        public static Schemas defaults() {
            return new Schemas(OutboxSchema.DEFAULT, new OutboxSchema("audit"));
        }
    }

    /** How streams are polled. */
    public record Polling(
            Set<String> polled, boolean notifications, Map<String, PollerSettings> streams, Duration expireAfter) {

        private static final Duration SHORTEST_RETIREMENT = Duration.ofMinutes(10);

        /** Checks the values. */
        public Polling {
            polled = Set.copyOf(polled);
            streams = Map.copyOf(streams);
            if (expireAfter.compareTo(SHORTEST_RETIREMENT) < 0) {
                throw new IllegalArgumentException("expireAfter must be at least " + SHORTEST_RETIREMENT.toMinutes()
                        + " minutes, or a process that is busy would count as gone: " + expireAfter);
            }
            if (!streams.containsKey(DEFAULT_STREAM)) {
                throw new IllegalArgumentException(
                        "streams must hold the stream '" + DEFAULT_STREAM + "': " + streams.keySet());
            }
            if (!streams.keySet().containsAll(polled)) {
                throw new IllegalArgumentException("polled must hold none but " + streams.keySet() + ": " + polled);
            }
        }

        /** Says whether this process polls at all. */
        public boolean enabled() {
            return !polled.isEmpty();
        }

        /** The settings of the streams that this process polls: the others take none of its threads and connections. */
        Map<String, PollerSettings> polledStreams() {
            Map<String, PollerSettings> own = new HashMap<>(streams);
            own.keySet().retainAll(polled);
            return own;
        }

        /** Returns the default: polling the default stream, with notifications; handlers are forgotten after 7 days. */
        public static Polling defaults() {
            return new Polling(
                    Set.of(DEFAULT_STREAM),
                    true,
                    Map.of(DEFAULT_STREAM, PollerSettings.defaults()),
                    Duration.ofDays(7));
        }
    }

    /** Returns the defaults. */
    public static RuntimeSettings defaults() {
        return new RuntimeSettings(
                Schemas.defaults(),
                PublisherSettings.defaults(),
                Polling.defaults(),
                DispatchSettings.defaults(),
                RetentionSettings.defaults());
    }
}
