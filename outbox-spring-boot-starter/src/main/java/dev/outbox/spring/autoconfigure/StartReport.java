package dev.outbox.spring.autoconfigure;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.LocalHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.outboxed.OutboxedType;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Logs the schemas, streams and handlers at startup, and what is probably a mistake. */
final class StartReport {

    private static final Logger log = LoggerFactory.getLogger(StartReport.class);

    private static final String PHASE = "spring.lifecycle.timeout-per-shutdown-phase";

    private static final Duration SPRINGS_DEFAULT = Duration.ofSeconds(30);

    private static final Duration LARGEST_DIFFERENCE = Duration.ofMinutes(1);

    private final RuntimeSettings settings;
    private final Environment environment;
    private final UnknownProperties unknown;
    private final OutboxDependencies dependencies;

    StartReport(
            RuntimeSettings settings,
            Environment environment,
            UnknownProperties unknown,
            OutboxDependencies dependencies) {
        this.settings = settings;
        this.environment = environment;
        this.dependencies = dependencies;
        this.unknown = unknown;
    }

    void write(Collection<HandlerDefinition> handlers) {
        log.info(
                "Events are stored in schema {}{}",
                settings.schemas().outbox().name(),
                settings.retention().archive()
                        ? " and archived in schema "
                                + settings.schemas().archive().name()
                        : ", without an archive");
        RuntimeSettings.Polling polling = settings.polling().effective(!handlers.isEmpty());
        SortedSet<String> others = new TreeSet<>(polling.streams().keySet());
        others.removeAll(polling.polled());
        if (polling.enabled()) {
            log.info(
                    "Polling streams: {}{}",
                    String.join(", ", new TreeSet<>(polling.polled())),
                    others.isEmpty() ? "" : "; not polled here: " + String.join(", ", others));
        }
        if (handlers.isEmpty()) {
            log.info(
                    "This application has no handlers{}",
                    settings.polling().enabled() && !polling.enabled()
                            ? ", so it only publishes; with outbox.poller.enabled=true, it also polls"
                            : "");
        } else {
            log.info(
                    "Handlers and their event types: {}{}",
                    described(handlers),
                    polling.enabled() ? "" : "; this instance polls no stream");
            reportUnordered(handlers);
        }
        if (polling.enabled()) {
            warnIfStopIsCutShort(polling);
        }
        unknown.report();
        warnOfKotlin(handlers);
        JdbcClient sql = JdbcClient.create(dependencies.dataSource());
        sql.sql(AbandonedSchemas.CLOCK_AND_OTHERS)
                .param("schema", settings.schemas().outbox().name())
                .query((row) -> {
                    warnIfClocksDiffer(
                            row.getObject("clock", OffsetDateTime.class).toInstant());
                    AbandonedSchemas.report(
                            sql, List.of((String[]) row.getArray("others").getArray()));
                });
        Publications.report(sql, settings.schemas().outbox().name());
    }

    private void warnIfStopIsCutShort(RuntimeSettings.Polling polling) {
        Duration own = Collections.max(polling.streams().values().stream()
                .map(PollerSettings::shutdownTimeout)
                .toList());
        Duration phase = Binder.get(environment).bind(PHASE, Duration.class).orElse(SPRINGS_DEFAULT);
        if (own.compareTo(phase) > 0) {
            log.warn(
                    "outbox.poller.shutdown-timeout is {} s, but Spring stops waiting after {} s: running handlers are cut off then."
                            + " Shorten it, or raise {}",
                    own.toSeconds(),
                    phase.toSeconds(),
                    PHASE);
        }
    }

    private void warnIfClocksDiffer(Instant there) {
        Duration ahead = Duration.between(there, dependencies.clock().instant());
        if (ahead.abs().compareTo(LARGEST_DIFFERENCE) > 0) {
            log.warn(
                    "The clock of this application is {} s {} that of the database. Events have the time of the application, but"
                            + " retries and leases follow the database: synchronize the machines, or correct the Clock bean",
                    ahead.abs().toSeconds(),
                    ahead.isNegative() ? "behind" : "ahead of");
        }
    }

    private void warnOfKotlin(Collection<HandlerDefinition> handlers) {
        Set<String> payloads = new TreeSet<>();
        for (HandlerDefinition handler : handlers) {
            Class<?> type = handler.payloadType();
            if (type != null && PayloadReader.needsKotlinModule(dependencies.mapper(), type)) {
                payloads.add(type.getName());
            }
        }
        if (!payloads.isEmpty()) {
            log.warn(
                    "Handlers take the Kotlin classes {}, whose default values and null checks the mapper of payloads does not know:"
                            + " add tools.jackson.module:jackson-module-kotlin",
                    payloads);
        }
    }

    /** A developer who needs order finds here that these events have none. */
    private static void reportUnordered(Collection<HandlerDefinition> handlers) {
        SortedSet<String> unordered = new TreeSet<>();
        for (Class<?> type : new LocalHandlers(handlers).payloadClasses()) {
            OutboxedType mark = OutboxedType.of(type);
            if (mark != null && mark.isUnordered()) {
                unordered.add(type.getSimpleName());
            }
        }
        if (!unordered.isEmpty()) {
            log.info("Events without order: {}", String.join(", ", unordered));
        }
    }

    private static String described(Collection<HandlerDefinition> handlers) {
        return new TreeMap<>(new LocalHandlers(handlers).subscriptions())
                .entrySet().stream()
                        .map((entry) -> entry.getKey() + " "
                                + entry.getValue().stream()
                                        .map(Subscription::toString)
                                        .collect(Collectors.joining(", ", "(", ")")))
                        .collect(Collectors.joining(", "));
    }
}
