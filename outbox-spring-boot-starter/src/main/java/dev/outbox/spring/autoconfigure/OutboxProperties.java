package dev.outbox.spring.autoconfigure;

import dev.outbox.OnDead;
import dev.outbox.internal.dispatch.MissingFields;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * What an application may say about its outbox. Values are checked when they become settings, see {@link ConfiguredSettings}.
 *
 * @param enabled Whether the application has an outbox at all.
 * @param schema Database schema that holds the outbox.
 * @param migrate Whether to create and update the tables at start; otherwise they are only checked.
 * @param poller How events are fetched.
 * @param retry When failed deliveries are tried again.
 * @param streams Streams by name, each with the types that travel in it and the keys of the poller and of retry that differ
 *     from the default.
 * @param handlers Handlers by id, each with the keys of retry that differ from those of the stream.
 * @param retention What happens to published events.
 * @param publisher How events are published.
 * @param payload How payloads are read.
 * @param metrics What is measured.
 * @param registry What is known about the handlers of all processes.
 */
@ConfigurationProperties("outbox")
public record OutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("events") String schema,
        @DefaultValue("true") boolean migrate,
        @DefaultValue Poller poller,
        @DefaultValue Retry retry,
        @DefaultValue Map<String, Stream> streams,
        @DefaultValue Map<String, Handler> handlers,
        @DefaultValue Retention retention,
        @DefaultValue Publisher publisher,
        @DefaultValue Payload payload,
        @DefaultValue Metrics metrics,
        @DefaultValue Registry registry) {

    /** With other streams and handlers. */
    OutboxProperties with(Map<String, Stream> otherStreams, Map<String, Handler> otherHandlers) {
        return new OutboxProperties(
                enabled,
                schema,
                migrate,
                poller,
                retry,
                otherStreams,
                otherHandlers,
                retention,
                publisher,
                payload,
                metrics,
                registry);
    }

    /**
     * How events are fetched.
     *
     * @param enabled Whether this process handles events; otherwise it only publishes them.
     * @param streams Streams whose events this process handles; all that are configured if nothing is said, none if it is empty.
     * @param interval Longest time between two looks at the database.
     * @param batchSize Largest number of events that are claimed at once.
     * @param concurrency Largest number of aggregates whose events are handled at the same time in one stream.
     * @param lease Time after which another process may take over the events of one that has died.
     * @param notifications Whether processes wake each other when events are published, which takes one connection outside the
     *     pool.
     * @param shutdownTimeout Time that running handlers get to finish when the application stops.
     */
    public record Poller(
            @DefaultValue("true") boolean enabled,
            @Nullable List<String> streams,
            @DefaultValue("2s") Duration interval,
            @DefaultValue("50") int batchSize,
            @DefaultValue("1") int concurrency,
            @DefaultValue("60s") Duration lease,
            @Name("notify") @DefaultValue("true") boolean notifications,
            @DefaultValue("20s") Duration shutdownTimeout) {}

    /**
     * When failed deliveries are tried again. Everything that is not said is taken from the level above.
     *
     * @param delays Time to wait after each failure; the last one repeats. Not together with the keys of exponential growth.
     * @param initial Time to wait after the first failure; this or another key of exponential growth replaces the delays.
     * @param multiplier Factor by which the time to wait grows with each failure.
     * @param max Longest time to wait, before jitter.
     * @param jitter Share of the time to wait by which it varies at random, from 0 to 1.
     * @param maxAttempts Number of failed attempts that make a delivery dead.
     * @param maxCrashes Number of leases that may expire under a delivery, because its process died or stood still, before it is dead.
     * @param retryable Exceptions that are tried again although a class above them is in the other list.
     * @param nonRetryable Exceptions that make a delivery dead at once, thrown or as a cause; with their subclasses.
     */
    public record Retry(
            @Nullable List<Duration> delays,
            @Nullable Duration initial,
            @Nullable Double multiplier,
            @Nullable Duration max,
            @Nullable Double jitter,
            @Nullable Integer maxAttempts,
            @Nullable Integer maxCrashes,
            @Nullable Set<Class<? extends Throwable>> retryable,
            @Nullable Set<Class<? extends Throwable>> nonRetryable) {

        /** Whether any key of exponential growth is set. */
        boolean isExponential() {
            return initial != null || multiplier != null || max != null || jitter != null;
        }
    }

    /**
     * How one stream differs from the default, and what travels in it.
     *
     * @param eventTypes Event types that travel in this stream unless they are published into another one.
     * @param aggregateTypes Aggregate types whose events travel in this stream, unless another one has their event type or they
     *     are published into it.
     * @param interval Longest time between two looks at the database.
     * @param batchSize Largest number of events that are claimed at once.
     * @param concurrency Largest number of aggregates whose events are handled at the same time.
     * @param lease Time after which another process may take over the events of one that has died.
     * @param shutdownTimeout Time that running handlers get to finish when the application stops.
     * @param retry When failed deliveries are tried again.
     */
    public record Stream(
            @DefaultValue List<String> eventTypes,
            @DefaultValue List<String> aggregateTypes,
            @Nullable Duration interval,
            @Nullable Integer batchSize,
            @Nullable Integer concurrency,
            @Nullable Duration lease,
            @Nullable Duration shutdownTimeout,
            @DefaultValue Retry retry) {}

    /**
     * How one handler differs from the stream of its event.
     *
     * @param retry When failed deliveries are tried again.
     * @param timeout Time after which a running handler is interrupted, and its attempt has failed; none if not set.
     * @param onDead What happens to later events of the same aggregate when the handler has given up on one; as the handler says
     *     if not set.
     * @param circuit When the handler rests because everything that it does fails.
     */
    public record Handler(
            @DefaultValue Retry retry,
            @Nullable Duration timeout,
            @Nullable OnDead onDead,
            @DefaultValue Circuit circuit) {}

    /**
     * When a handler rests because everything that it does fails.
     *
     * @param failures Number of aggregates that have to fail, with no success in between, for the handler to rest; never if not set.
     * @param probeInterval Time between events that are tried while the handler rests.
     */
    public record Circuit(
            @Nullable Integer failures, @DefaultValue("30s") Duration probeInterval) {}

    /**
     * What happens to published events.
     *
     * @param published Time that published events stay in the outbox.
     * @param archive Whether published events move to the archive when that time is over; otherwise they are deleted.
     * @param processedEvents Time for which deduplicating handlers remember what they have processed; until an event is published,
     *     always.
     * @param idleAggregates Time without an event after which the counter of an aggregate is removed; never, if not set. At least
     *     as long as published.
     * @param cron When to archive or delete, as a Spring cron expression in the time zone of the JVM; "-" for never.
     * @param archiveSchema Database schema that holds the archive.
     * @param batchSize Largest number of rows that are moved or deleted in one transaction.
     */
    public record Retention(
            @DefaultValue("30d") Duration published,
            @DefaultValue("true") boolean archive,
            @DefaultValue("30d") Duration processedEvents,
            @Nullable Duration idleAggregates,
            @DefaultValue("0 30 3 * * *") String cron,
            @DefaultValue("audit") String archiveSchema,
            @DefaultValue("1000") int batchSize) {}

    /**
     * How events are published.
     *
     * @param maxPayloadSize Largest payload, as UTF-8 encoded JSON.
     * @param unrouted What happens to an event that no handler wants: it is stored with a warning, or refused.
     */
    public record Publisher(
            @DefaultValue("1MB") DataSize maxPayloadSize,
            @DefaultValue("warn") Unrouted unrouted) {}

    /**
     * How payloads are read.
     *
     * @param missingFields What happens to an event whose payload lacks a field that its record requires: it is delivered with a warning,
     *     becomes a dead letter, or is delivered.
     */
    public record Payload(@DefaultValue("warn") MissingFields missingFields) {}

    /**
     * What is measured.
     *
     * @param enabled Whether to register meters where the application has a meter registry.
     * @param gaugeMaxAge Time for which one count of the events serves all gauges and the health indicator.
     */
    public record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("15s") Duration gaugeMaxAge) {}

    /**
     * What is known about the handlers of all processes.
     *
     * @param retireAfter Time after which a handler that no process has any more is no longer waited for.
     */
    public record Registry(@DefaultValue("7d") Duration retireAfter) {}
}
