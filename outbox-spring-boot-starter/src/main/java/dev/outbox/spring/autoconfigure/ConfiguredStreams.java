package dev.outbox.spring.autoconfigure;

import dev.outbox.publish.StreamRouting;
import dev.outbox.spring.autoconfigure.OutboxProperties.Stream;
import java.util.Map;
import java.util.TreeMap;

/** Reads from the properties what travels in which stream. */
final class ConfiguredStreams {

    private ConfiguredStreams() {}

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
