package dev.outbox.spring.tracing;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Observations of the outbox, with the keys of the default conventions. */
public enum OutboxObservationDocumentation implements ObservationDocumentation {

    /** Publication of one or more events, inside the caller's transaction. */
    PUBLISH {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return OutboxPublishObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] {LowCardinality.STREAM, LowCardinality.EVENT_TYPE};
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {
                HighCardinality.EVENTS,
                HighCardinality.EVENT_ID,
                HighCardinality.AGGREGATE_TYPE,
                HighCardinality.AGGREGATE_ID
            };
        }
    },

    /** Invocation of a handler with one event, or of a batch handler with several. */
    HANDLE {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return OutboxHandleObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowCardinality.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighCardinality.values();
        }
    };

    /** Keys that become tags of the meters too. */
    public enum LowCardinality implements KeyName {

        /** Stream of the events; {@code unknown} if publishing failed. */
        STREAM("stream"),

        /** Type of the events; {@code mixed} if they have several, {@code unknown} if publishing failed. */
        EVENT_TYPE("event.type"),

        /** Id of the handler. */
        HANDLER("handler"),

        /** Outcome of the invocation: {@code success} or {@code error}. */
        OUTCOME("outcome");

        private final String key;

        LowCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Keys of spans only. */
    public enum HighCardinality implements KeyName {

        /** Number of events. */
        EVENTS("events"),

        /** Id of the event, if there is one only. */
        EVENT_ID("event.id"),

        /** Aggregate type of the event, if there is one only. */
        AGGREGATE_TYPE("aggregate.type"),

        /** Aggregate id of the event, if there is one only. */
        AGGREGATE_ID("aggregate.id"),

        /** Number of the attempt, at least 1. */
        ATTEMPT("attempt"),

        /** Whether any of the events is delivered by a replay. */
        REPLAYED("replayed");

        private final String key;

        HighCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
