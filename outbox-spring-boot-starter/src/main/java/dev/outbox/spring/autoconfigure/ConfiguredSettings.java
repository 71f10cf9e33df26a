package dev.outbox.spring.autoconfigure;

import dev.outbox.CircuitBreaker;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies.InStream;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Delays;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Exponential;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.spring.autoconfigure.OutboxProperties.Poller;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** Converts properties to settings, and exceptions about settings to exceptions about properties. */
final class ConfiguredSettings {

    /** Supplies the keys of exponential backoff that are not set. */
    private static final Exponential EXPONENTIAL = new Exponential(Duration.ofSeconds(1), Duration.ofMinutes(5));

    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(30);

    private final OutboxProperties properties;
    private final Map<String, Stream> streams;
    private final Map<String, OutboxProperties.Handler> handlers;
    private final RetryPolicy retry;

    private ConfiguredSettings(OutboxProperties properties) {
        this.properties = properties;
        this.streams = properties.streams();
        this.handlers = properties.handlers();
        this.retry = retry("outbox.retry", properties.retry(), RetryPolicy.defaults());
    }

    /** Converts the properties. The exception about an invalid value names the property. */
    static RuntimeSettings of(OutboxProperties properties, Environment environment) {
        DurationBounds.check(properties, Binder.get(environment));
        return new ConfiguredSettings(properties).settings();
    }

    private RuntimeSettings settings() {
        return new RuntimeSettings(schemas(), publisher(), polling(), dispatch(), retention());
    }

    private Schemas schemas() {
        String archive = properties.retention().archiveSchema();
        return new Schemas(
                PropertyRule.check("outbox.schema", properties.schema(), OutboxSchema::new),
                PropertyRule.check("outbox.retention.archive-schema", archive, OutboxSchema::new));
    }

    private PublisherSettings publisher() {
        OutboxProperties.Publisher publisher = properties.publisher();
        int maxPayloadSize = PropertyRule.check(
                "outbox.publisher.max-payload-size",
                publisher.maxPayloadSize(),
                (size) -> Math.toIntExact(size.toBytes()));
        return PropertyRule.checkAll(
                "outbox.publisher",
                () -> new PublisherSettings(maxPayloadSize, publisher.unrouted(), routing(streams)));
    }

    private Polling polling() {
        Poller poller = properties.poller();
        PollerSettings defaults = PropertyRule.checkAll(
                "outbox.poller",
                () -> new PollerSettings(
                        poller.interval(),
                        poller.batchSize(),
                        poller.concurrency(),
                        poller.lease(),
                        poller.shutdownTimeout()));
        Map<String, PollerSettings> pollers = new HashMap<>();
        pollers.put(RuntimeSettings.DEFAULT_STREAM, defaults);
        streams.forEach((name, stream) ->
                pollers.put(name, stream(PropertyRule.key("outbox.streams", name), stream, defaults)));
        return new Polling(
                polled(poller, pollers.keySet()),
                poller.notifications(),
                pollers,
                Boolean.TRUE.equals(poller.enabled()));
    }

    private static Set<String> polled(Poller poller, Set<String> configured) {
        List<String> named = poller.streams();
        Set<String> polled = named != null ? new TreeSet<>(named) : configured;
        if (!configured.containsAll(polled)) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.poller.streams",
                    polled,
                    "streams must be among the configured ones, " + new TreeSet<>(configured)
                            + "; add others to outbox.streams");
        }
        return Boolean.FALSE.equals(poller.enabled()) ? Set.of() : polled;
    }

    private static StreamRouting routing(Map<String, Stream> streams) {
        StreamRouting routing = StreamRouting.NONE;
        for (Map.Entry<String, Stream> entry : new TreeMap<>(streams).entrySet()) {
            routing = with(routing, entry.getKey(), entry.getValue());
        }
        return routing;
    }

    private static StreamRouting with(StreamRouting routing, String name, Stream stream) {
        return PropertyRule.checkAll(
                PropertyRule.key("outbox.streams", name), () -> routing.with(name, stream.aggregateTypes()));
    }

    private static PollerSettings stream(String prefix, Stream stream, PollerSettings defaults) {
        return PropertyRule.checkAll(
                prefix,
                () -> new PollerSettings(
                        ownOrInherited(stream.interval(), defaults.interval()),
                        ownOrInherited(stream.batchSize(), defaults.batchSize()),
                        ownOrInherited(stream.concurrency(), defaults.concurrency()),
                        ownOrInherited(stream.lease(), defaults.lease()),
                        defaults.shutdownTimeout()));
    }

    private DispatchSettings dispatch() {
        Map<String, HandlerSettings> settings = new HashMap<>();
        handlers.forEach((id, handler) -> settings.put(id, handler(PropertyRule.key("outbox.handlers", id), handler)));
        return PropertyRule.check(
                "outbox.handler-timeout",
                properties.handlerTimeout(),
                (timeout) -> new DispatchSettings(retries(), settings, timeout));
    }

    private static HandlerSettings handler(String prefix, OutboxProperties.Handler handler) {
        Integer failures = handler.circuit().failures();
        Duration probeInterval = handler.circuit().probeInterval();
        if (failures == null && probeInterval != null) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".circuit.probe-interval",
                    probeInterval,
                    "it has no effect without " + prefix + ".circuit.failures; set both");
        }
        CircuitBreaker circuit = failures == null
                ? null
                : PropertyRule.checkAll(
                        prefix + ".circuit",
                        () -> new CircuitBreaker(failures, ownOrInherited(probeInterval, PROBE_INTERVAL)));
        return PropertyRule.checkAll(
                prefix,
                () -> new HandlerSettings(
                        handler.timeout(), circuit, handler.retry().maxAttempts()));
    }

    private RetryPolicies retries() {
        Map<String, InStream> policies = new HashMap<>();
        streams.forEach((name, stream) -> policies.put(
                name, inStream(retry(PropertyRule.key("outbox.streams", name) + ".retry", stream.retry(), retry))));
        return new RetryPolicies(inStream(retry), policies);
    }

    private InStream inStream(RetryPolicy policy) {
        Map<String, RetryPolicy> policies = new HashMap<>();
        handlers.forEach((id, handler) ->
                policies.put(id, retry(PropertyRule.key("outbox.handlers", id) + ".retry", handler.retry(), policy)));
        return new InStream(policy, policies);
    }

    /** Overrides the policy of the level above with the retry properties of one level. */
    private static RetryPolicy retry(String prefix, OutboxProperties.Retry own, RetryPolicy above) {
        return PropertyRule.checkAll(
                prefix,
                () -> new RetryPolicy(
                        backoff(prefix, own, above.backoff()),
                        ownOrInherited(own.maxAttempts(), above.maxAttempts()),
                        above.maxCrashes(),
                        ownOrInherited(own.nonRetryable(), above.nonRetryable())));
    }

    private static Backoff backoff(String prefix, OutboxProperties.Retry own, Backoff above) {
        List<Duration> delays = own.delays();
        if (delays != null && own.isExponential()) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".delays",
                    delays,
                    "delays cannot be combined with initial-delay or max-delay; choose one kind of backoff");
        }
        if (delays != null) {
            return new Delays(delays);
        }
        Exponential inherited = above instanceof Exponential exponential ? exponential : EXPONENTIAL;
        return own.isExponential()
                ? new Exponential(
                        ownOrInherited(own.initialDelay(), inherited.initialDelay()),
                        ownOrInherited(own.maxDelay(), inherited.maxDelay()))
                : above;
    }

    private RetentionSettings retention() {
        OutboxProperties.Retention retention = properties.retention();
        if (retention.published().compareTo(Duration.ZERO) <= 0) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.retention.published",
                    retention.published(),
                    "it must be positive, because each run would take all published events out of the outbox, where replays and"
                            + " repeated event ids need them; set outbox.retention.cron to - to keep them");
        }
        RetentionSettings defaults = RetentionSettings.defaults();
        // A publisher or a broker may repeat an event after its history was removed early.
        Duration received =
                retention.published().compareTo(defaults.received()) > 0 ? retention.published() : defaults.received();
        return PropertyRule.checkAll(
                "outbox.retention",
                () -> new RetentionSettings(
                        retention.published(),
                        retention.archive(),
                        ownOrInherited(retention.received(), received),
                        retention.archived(),
                        retention.dead(),
                        retention.operations(),
                        retention.replays(),
                        defaults.batchSize()));
    }

    private static <T> T ownOrInherited(@Nullable T own, T inherited) {
        return own != null ? own : inherited;
    }
}
