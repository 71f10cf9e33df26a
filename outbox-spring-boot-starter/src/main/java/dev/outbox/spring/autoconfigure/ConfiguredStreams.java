package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.publish.StreamRouting;
import dev.outbox.spring.autoconfigure.OutboxProperties.Poller;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Reads from the properties which events go to which stream, and which streams this process polls. */
final class ConfiguredStreams {

    private ConfiguredStreams() {}

    static Set<String> polled(Poller poller, Set<String> configured) {
        List<String> named = poller.streams();
        Set<String> polled = named != null ? new TreeSet<>(named) : configured;
        if (!configured.containsAll(polled)) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.poller.streams",
                    polled,
                    "streams must be among the configured ones, " + new TreeSet<>(configured)
                            + "; add others to outbox.streams");
        }
        return poller.enabled() ? polled : Set.of();
    }

    static StreamRouting routing(Map<String, Stream> streams) {
        StreamRouting routing = StreamRouting.NONE;
        for (Map.Entry<String, Stream> entry : new TreeMap<>(streams).entrySet()) {
            routing = with(routing, entry.getKey(), entry.getValue());
        }
        return routing;
    }

    private static StreamRouting with(StreamRouting routing, String name, Stream stream) {
        return PropertyRule.checkAll(
                PropertyRule.key("outbox.streams", name),
                () -> routing.with(name, stream.eventTypes(), stream.aggregateTypes()));
    }
}
