package dev.outbox.internal.payload;

import dev.outbox.internal.failure.Redaction;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.impl.InnerClassProperty;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds types that the mapper writes and never reads, such as an interface without type information. Looks at the deserializers of a class,
 * and needs no payload.
 */
final class UnreadableTypes {

    private final JsonMapper mapper;

    UnreadableTypes(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns where a class has such a type, and Jackson's reason; {@code null} if it can be read. */
    @Nullable
    String in(Class<?> type) {
        DeserializationContext context = mapper._deserializationContext();
        JavaType root = mapper.constructType(type);
        try {
            return new Search(context)
                    .find(context.findContextualValueDeserializer(root, null), isTyped(context, root), type.getName());
        } catch (JacksonException ex) {
            return (ex.getPath().isEmpty() ? type.getName() : Redaction.path(ex)) + ": " + ex.getOriginalMessage();
        }
    }

    /** Returns Jackson's reason why no JSON object becomes an instance of a class; {@code null} if it has none. */
    @Nullable
    String reason(Class<?> type) {
        try {
            mapper.readerFor(type).readValue("{}");
            return null;
        } catch (InvalidDefinitionException ex) {
            SortedSet<String> ignored = Jackson2.ignored(Arrays.stream(type.getAnnotations()));
            return ex.getOriginalMessage()
                    + (ignored.isEmpty() ? "" : ", and Jackson 3 ignores its annotations of Jackson 2: " + ignored);
        } catch (JacksonException ex) {
            return null;
        }
    }

    private static boolean isTyped(DeserializationContext context, JavaType type) {
        return type.getTypeHandler() != null || context.findTypeDeserializer(type) != null;
    }

    /** Search through the properties and contents of one class. */
    private final class Search {

        private final DeserializationContext context;
        private final Set<JavaType> seen = new HashSet<>();

        Search(DeserializationContext context) {
            this.context = context;
        }

        @Nullable
        String find(@Nullable ValueDeserializer<?> deserializer, boolean typed, String place) {
            ValueDeserializer<?> real = deserializer;
            while (real != null && real.getDelegatee() != null) {
                real = real.getDelegatee();
            }
            if (real instanceof AbstractDeserializer type) {
                return typed ? null : unreadable(type.handledType(), place);
            }
            if (real instanceof BeanDeserializerBase bean) {
                return seen.add(bean.getValueType()) ? findIn(bean, place) : null;
            }
            if (real instanceof ContainerDeserializerBase<?> container && container.getContentType() != null) {
                JavaType content = container.getContentType();
                return find(container.getContentDeserializer(), isTyped(context, content), place + "[]");
            }
            JavaType content = real instanceof ReferenceTypeDeserializer<?> reference
                    ? reference.getValueType().getReferencedType()
                    : null;
            return content == null || content.getValueHandler() != null
                    ? null
                    : find(context.findContextualValueDeserializer(content, null), isTyped(context, content), place);
        }

        private @Nullable String findIn(BeanDeserializerBase bean, String place) {
            if (!bean.getValueInstantiator().canInstantiate()) {
                return unreadable(bean.handledType(), place);
            }
            for (Iterator<SettableBeanProperty> properties = bean.properties(); properties.hasNext(); ) {
                SettableBeanProperty property = properties.next();
                boolean read = !property.isIgnorable() && !property.isInjectionOnly();
                // The object around them creates the values of these.
                boolean created = property.isMerging() || property instanceof InnerClassProperty;
                String found = read && !created
                        ? find(
                                property.getValueDeserializer(),
                                property.hasValueTypeDeserializer(),
                                place + "." + property.getName())
                        : null;
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private @Nullable String unreadable(Class<?> type, String place) {
            String reason = reason(type);
            return reason == null ? null : place + ": " + reason;
        }
    }
}
