package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.spring.internal.Rights;
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
 * Configuration properties of the outbox. {@link ConfiguredSettings} checks the values when it creates the settings.
 *
 * @param enabled Whether to enable Outbox. If false, it creates no beans, tables or threads.
 * @param schema Database schema of the outbox tables. Lower-case letters, digits and underscores.
 * @param migrate Whether to create and update the tables at start. If false, a start with outdated tables fails with the SQL to run.
 * @param directUrl JDBC URL of PostgreSQL itself, if the DataSource goes through a pooler that shares sessions, such as PgBouncer in
 *     transaction mode. Migrations and wake-ups use it, with the credentials of the DataSource unless the URL contains others.
 * @param poller Delivery of events to handlers.
 * @param retry Retries of failed deliveries.
 * @param streams Streams by name. Each lists its aggregate types, and overrides properties of the poller and of retries.
 * @param handlers Handlers by id. Each overrides the retry properties of its stream, and sets its timeout and circuit.
 * @param handlerTimeout How long a handler without its own timeout may run before it is interrupted and the attempt fails. No limit if not set.
 * @param retention How long what is finished stays.
 * @param publisher Publishing of events.
 * @param authorities Authorities of Spring Security that the console and the actuator endpoint ask for.
 * @param endpoint Actuator endpoint.
 * @param springEvents Spring events that the outbox stores.
 */
@ConfigurationProperties("outbox")
public record OutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("events") String schema,
        @DefaultValue("true") boolean migrate,
        @Nullable String directUrl,
        @DefaultValue Poller poller,
        @DefaultValue Retry retry,
        @DefaultValue Map<String, Stream> streams,
        @DefaultValue Map<String, Handler> handlers,
        @Nullable Duration handlerTimeout,
        @DefaultValue Retention retention,
        @DefaultValue Publisher publisher,
        @DefaultValue Authorities authorities,
        @DefaultValue Endpoint endpoint,
        @DefaultValue SpringEvents springEvents) {

    /**
     * Delivery of events to handlers.
     *
     * @param enabled Whether this instance delivers events, or only publishes. If not set, it delivers if it has handlers.
     * @param streams Streams that this instance polls. All if not set, none if empty.
     * @param interval How often a stream is polled, unless it rests until an event wakes it.
     * @param batchSize Maximum number of events per claim, from 1 to 10000.
     * @param concurrency Maximum number of aggregates that a stream handles at the same time, from 1 to 1000. Limited to what the
     *     connection pool can serve.
     * @param lease How long a claim lasts without renewal: after a crash, another instance takes over after this time.
     * @param notifications Whether instances wake each other when they publish events (LISTEN and NOTIFY). Takes one connection outside the pool.
     * @param shutdownTimeout How long running handlers have to finish when the application stops. A WARN at start names a value above "spring.lifecycle.timeout-per-shutdown-phase".
     */
    public record Poller(
            @Nullable Boolean enabled,
            @Nullable List<String> streams,
            @DefaultValue("2s") Duration interval,
            @DefaultValue("50") int batchSize,
            @DefaultValue("1") int concurrency,
            @DefaultValue("60s") Duration lease,
            @Name("notify") @DefaultValue("true") boolean notifications,
            @DefaultValue("20s") Duration shutdownTimeout) {}

    /**
     * Retries of failed deliveries. Properties that are not set come from the level above: those of a handler from its annotation or its event's
     * stream, and those of a stream from outbox.retry.
     *
     * @param delays Delay before each retry; the last one repeats.
     * @param initialDelay First delay of exponential backoff, which replaces the delays. It doubles after each failure, and varies by 20 %. "1s" if only the maximum is set.
     * @param maxDelay Maximum delay of exponential backoff. "5m" if only the first delay is set.
     * @param maxAttempts Number of failed attempts after which a delivery is dead.
     * @param nonRetryable Exception classes that dead-letter a delivery immediately, thrown or as a cause, with their subclasses.
     */
    public record Retry(
            @Nullable List<Duration> delays,
            @Nullable Duration initialDelay,
            @Nullable Duration maxDelay,
            @Nullable Integer maxAttempts,
            @Nullable Set<Class<? extends Throwable>> nonRetryable) {

        boolean isExponential() {
            return initialDelay != null || maxDelay != null;
        }
    }

    /**
     * Stream: which events go into it, and how it differs from the defaults.
     *
     * @param aggregateTypes Aggregate types whose events go into this stream, unless the publisher names another one.
     * @param interval How often the poller checks the database if nothing wakes it.
     * @param batchSize Maximum number of events per claim, from 1 to 10000.
     * @param concurrency Maximum number of aggregates that the stream handles at the same time, from 1 to 1000.
     * @param lease How long a claim lasts without renewal, at least 1 s.
     * @param retry Retries of failed deliveries.
     */
    public record Stream(
            @DefaultValue List<String> aggregateTypes,
            @Nullable Duration interval,
            @Nullable Integer batchSize,
            @Nullable Integer concurrency,
            @Nullable Duration lease,
            @DefaultValue Retry retry) {}

    /**
     * Handler: how it differs from the stream of its event.
     *
     * @param retry Retries of failed deliveries.
     * @param timeout How long the handler may run before it is interrupted and the attempt fails. That of its annotation, or else of
     *     outbox.handler-timeout, if not set.
     * @param circuit Circuit breaker of the handler.
     */
    public record Handler(
            @DefaultValue Retry retry,
            @Nullable Duration timeout,
            @DefaultValue Circuit circuit) {}

    /**
     * Circuit breaker of a handler.
     *
     * @param failures Number of aggregates that must fail, without a success in between, to open the circuit. The handler's own setting applies if not set.
     * @param probeInterval How often one event is attempted while the circuit is open, by default every 30 s. The first success closes it.
     */
    public record Circuit(
            @Nullable Integer failures, @Nullable Duration probeInterval) {}

    /**
     * How long what is finished stays.
     *
     * @param published How long published events stay in the outbox.
     * @param received How long records of deduplicating handlers stay: not less than published events. If not set, as long, at least 30 days.
     * @param dead How long dead letters stay before they are skipped, on record; those that block their lane, or whose dead-letter method fails, stay. Needs outbox-operations. Forever if not set.
     * @param operations How long the operation log stays, except for events in the outbox. Forever if not set.
     * @param replays How long replays stay after their end. Forever if not set.
     * @param archive Whether published events move to the archive. If false, they are deleted.
     * @param archived How long events stay in the archive, those of all outboxes that share it. Forever if not set.
     * @param cron When retention runs: a Spring cron expression (seconds first) in the time zone of the JVM. "-" disables it.
     * @param archiveSchema Database schema of the archive.
     */
    public record Retention(
            @DefaultValue("30d") Duration published,
            @Nullable Duration received,
            @Nullable Duration dead,
            @Nullable Duration operations,
            @Nullable Duration replays,
            @DefaultValue("false") boolean archive,
            @Nullable Duration archived,
            @DefaultValue("0 30 3 * * *") String cron,
            @DefaultValue("audit") String archiveSchema) {}

    /**
     * Publishing of events.
     *
     * @param maxPayloadSize Maximum size of a payload as UTF-8 encoded JSON, without the spaces that PostgreSQL adds.
     * @param unrouted What happens to an event without subscribers: "warn" stores it and logs one WARN per event type, "fail" rejects it.
     */
    public record Publisher(
            @DefaultValue("1MB") DataSize maxPayloadSize,
            @DefaultValue("warn") Unrouted unrouted) {}

    /**
     * Authorities of Spring Security that the console and the actuator endpoint ask for.
     *
     * @param viewer Authority to view.
     * @param operator Authority to view and run commands.
     * @param eraser Authority to view, erase events and expire handlers.
     */
    public record Authorities(
            @DefaultValue("ROLE_OUTBOX_VIEWER") String viewer,
            @DefaultValue("ROLE_OUTBOX_OPERATOR") String operator,
            @DefaultValue("ROLE_OUTBOX_ERASER") String eraser) {

        /** Returns who may do what. Not for applications. */
        public Rights rights() {
            return new Rights(viewer, operator, eraser);
        }
    }

    /**
     * Actuator endpoint.
     *
     * @param showPayloads Whether the endpoint shows the payload and the headers of an event.
     * @param allowAnonymousWrites Whether the endpoint performs commands without an authenticated user.
     */
    public record Endpoint(
            @DefaultValue("false") boolean showPayloads,
            @DefaultValue("false") boolean allowAnonymousWrites) {}

    /**
     * Spring events that the outbox stores.
     *
     * @param enabled Whether Spring events of classes marked @Outboxed go to the outbox.
     */
    public record SpringEvents(@DefaultValue("true") boolean enabled) {}
}
