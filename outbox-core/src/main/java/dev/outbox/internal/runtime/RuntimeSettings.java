package dev.outbox.internal.runtime;

import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.sql.OutboxSchema;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Settings of an outbox. */
public record RuntimeSettings(
        Schemas schemas,
        PublisherSettings publisher,
        Polling polling,
        DispatchSettings dispatch,
        RetentionSettings retention) {

    /** Stream of events that no rule sends elsewhere. */
    public static final String DEFAULT_STREAM = StreamRouting.DEFAULT_STREAM;

    /** Checks that the routing rules name known streams. */
    public RuntimeSettings {
        Set<String> unknown = new TreeSet<>(publisher.routing().streams());
        unknown.removeAll(polling.streams().keySet());
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("routing must lead to configured streams: " + unknown);
        }
    }

    /** Schemas of the tables. */
    public record Schemas(OutboxSchema outbox, OutboxSchema archive) {

        /** Returns the defaults: {@code events} and {@code audit}. */
        public static Schemas defaults() {
            return new Schemas(OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE);
        }
    }

    /** Settings for polling streams. Without handlers, an instance polls only if {@code withoutHandlers} is set. */
    public record Polling(
            Set<String> polled, boolean notifications, Map<String, PollerSettings> streams, boolean withoutHandlers) {

        public Polling {
            polled = Set.copyOf(polled);
            streams = Map.copyOf(streams);
            if (!streams.containsKey(DEFAULT_STREAM)) {
                throw new IllegalArgumentException(
                        "streams must hold the stream '" + DEFAULT_STREAM + "': " + streams.keySet());
            }
            if (!streams.keySet().containsAll(polled)) {
                throw new IllegalArgumentException("polled must only hold " + streams.keySet() + ": " + polled);
            }
        }

        /** Creates settings for an instance that polls with or without handlers. */
        public Polling(Set<String> polled, boolean notifications, Map<String, PollerSettings> streams) {
            this(polled, notifications, streams, true);
        }

        /** Returns whether this instance polls if it has handlers. */
        public boolean enabled() {
            return !polled.isEmpty();
        }

        /** Returns the settings of an instance with or without handlers. */
        public Polling effective(boolean hasHandlers) {
            return hasHandlers || withoutHandlers ? this : new Polling(Set.of(), notifications, streams);
        }

        /** Returns the settings of the polled streams; only these take threads and connections. */
        Map<String, PollerSettings> polledStreams() {
            Map<String, PollerSettings> own = new HashMap<>(streams);
            own.keySet().retainAll(polled);
            return own;
        }

        /** Returns the defaults: the default stream, if there are handlers, and notifications. */
        public static Polling defaults() {
            return new Polling(Set.of(DEFAULT_STREAM), true, Map.of(DEFAULT_STREAM, PollerSettings.defaults()), false);
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
