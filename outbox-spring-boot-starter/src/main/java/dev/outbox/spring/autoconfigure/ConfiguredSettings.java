package dev.outbox.spring.autoconfigure;

import dev.outbox.CircuitBreaker;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies.InStream;
import dev.outbox.internal.dispatch.HandlerSettings;
import dev.outbox.internal.maintenance.RetentionSettings;
import dev.outbox.internal.processing.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.retry.RetryPolicy;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.StatusStore;
import dev.outbox.spring.autoconfigure.OutboxProperties.Poller;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Converts properties to settings, and exceptions about settings to exceptions about properties. */
final class ConfiguredSettings {

    private final OutboxProperties properties;
    private final RetryPolicy retry;

    private ConfiguredSettings(OutboxProperties properties) {
        this.properties = properties;
        this.retry = ConfiguredRetry.of("outbox.retry", properties.retry(), RetryPolicy.defaults());
    }

    /** Converts the properties. The exception about an invalid value names the property. */
    static RuntimeSettings of(OutboxProperties properties) {
        return new ConfiguredSettings(properties).settings();
    }

    private RuntimeSettings settings() {
        checkOthers();
        return new RuntimeSettings(schemas(), publisher(), polling(), dispatch(), retention());
    }

    /** Checks what only the health indicator reads, whether the application has it or not. */
    private void checkOthers() {
        OutboxProperties.Health health = properties.health();
        check(
                "outbox.health.max-oldest",
                health.maxOldest(),
                (age) -> age.compareTo(Duration.ZERO) > 0,
                "must be positive");
        check(
                "outbox.health.max-dead",
                health.maxDead(),
                (events) -> events >= 0 && events < StatusStore.MOST_COUNTED,
                "must be from 0 to " + (StatusStore.MOST_COUNTED - 1) + ": dead letters are counted up to "
                        + StatusStore.MOST_COUNTED);
    }

    private static <T> void check(String property, @Nullable T value, Predicate<T> rule, String reason) {
        if (value != null && !rule.test(value)) {
            throw new InvalidConfigurationPropertyValueException(property, value, reason);
        }
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
                () -> new PublisherSettings(
                        maxPayloadSize, publisher.unrouted(), ConfiguredStreams.routing(properties.streams())));
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
        Map<String, PollerSettings> streams = new HashMap<>();
        streams.put(RuntimeSettings.DEFAULT_STREAM, defaults);
        properties
                .streams()
                .forEach((name, stream) ->
                        streams.put(name, stream(PropertyRule.key("outbox.streams", name), stream, defaults)));
        return PropertyRule.checkAll("outbox.registry", () -> polling(poller, streams));
    }

    private Polling polling(Poller poller, Map<String, PollerSettings> streams) {
        Duration expireAfter = properties.registry().expireAfter();
        return new Polling(
                ConfiguredStreams.polled(poller, streams.keySet()), poller.notifications(), streams, expireAfter);
    }

    private static PollerSettings stream(String prefix, Stream stream, PollerSettings defaults) {
        return PropertyRule.checkAll(
                prefix,
                () -> new PollerSettings(
                        ownOrInherited(stream.interval(), defaults.interval()),
                        ownOrInherited(stream.batchSize(), defaults.batchSize()),
                        ownOrInherited(stream.concurrency(), defaults.concurrency()),
                        ownOrInherited(stream.lease(), defaults.lease()),
                        ownOrInherited(stream.shutdownTimeout(), defaults.shutdownTimeout())));
    }

    private DispatchSettings dispatch() {
        Map<String, HandlerSettings> handlers = new HashMap<>();
        properties
                .handlers()
                .forEach((id, handler) -> handlers.put(id, handler(PropertyRule.key("outbox.handlers", id), handler)));
        return new DispatchSettings(retries(), handlers);
    }

    private static HandlerSettings handler(String prefix, OutboxProperties.Handler handler) {
        Integer failures = handler.circuit().failures();
        CircuitBreaker circuit = failures == null
                ? null
                : PropertyRule.checkAll(
                        prefix + ".circuit",
                        () -> new CircuitBreaker(failures, handler.circuit().probeInterval()));
        return PropertyRule.checkAll(
                prefix, () -> new HandlerSettings(handler.timeout(), handler.onDead(), circuit, handler.batchSize()));
    }

    private RetryPolicies retries() {
        Map<String, InStream> streams = new HashMap<>();
        properties
                .streams()
                .forEach((name, stream) -> streams.put(
                        name,
                        inStream(ConfiguredRetry.of(
                                PropertyRule.key("outbox.streams", name) + ".retry", stream.retry(), retry))));
        return new RetryPolicies(inStream(retry), streams);
    }

    private InStream inStream(RetryPolicy policy) {
        Map<String, RetryPolicy> handlers = new HashMap<>();
        properties
                .handlers()
                .forEach((id, handler) -> handlers.put(
                        id,
                        ConfiguredRetry.of(
                                PropertyRule.key("outbox.handlers", id) + ".retry", handler.retry(), policy)));
        return new InStream(policy, handlers);
    }

    private RetentionSettings retention() {
        OutboxProperties.Retention retention = properties.retention();
        return PropertyRule.checkAll(
                "outbox.retention",
                () -> new RetentionSettings(
                        retention.published(),
                        retention.archive(),
                        retention.processedEvents(),
                        RetentionSettings.defaults().batchSize()));
    }

    private static <T> T ownOrInherited(@Nullable T own, T inherited) {
        return own != null ? own : inherited;
    }
}
