package dev.outbox.internal.dispatch;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;

/** Shapes of the payload classes, each found once. Safe for use by many threads. */
final class PayloadShapes {

    private final JsonMapper mapper;
    private final Map<Class<?>, PayloadShape> shapes = new ConcurrentHashMap<>();
    private final Map<Class<?>, PayloadShape> rootShapes = new ConcurrentHashMap<>();

    PayloadShapes(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns the shape of the class that a deserializer reads. */
    PayloadShape of(BeanDeserializerBase reader) {
        Class<?> type = reader.handledType();
        PayloadShape known = shapes.get(type);
        return known != null ? known : shapes.computeIfAbsent(type, (one) -> PayloadShape.of(reader, mapper));
    }

    /** Returns the shape of a whole payload. */
    PayloadShape of(Class<?> type) {
        PayloadShape known = rootShapes.get(type);
        return known != null ? known : rootShapes.computeIfAbsent(type, this::find);
    }

    private PayloadShape find(Class<?> type) {
        try {
            ValueDeserializer<Object> reader =
                    mapper._deserializationContext().findRootValueDeserializer(mapper.constructType(type));
            return reader instanceof BeanDeserializerBase bean && PayloadShape.isReadableWith(mapper)
                    ? of(bean)
                    : PayloadShape.UNKNOWN;
        } catch (JacksonException ex) {
            return PayloadShape.UNKNOWN;
        }
    }

    /** Returns the names of the top-level fields of a payload. */
    Set<String> fieldsOf(String payload) {
        Set<String> fields = new HashSet<>();
        try (JsonParser parser = mapper.createParser(payload)) {
            parser.nextToken();
            for (String field = parser.nextName(); field != null; field = parser.nextName()) {
                fields.add(field);
                parser.nextToken();
                parser.skipChildren();
            }
        }
        return fields;
    }
}
