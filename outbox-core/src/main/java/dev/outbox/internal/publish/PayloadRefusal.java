package dev.outbox.internal.publish;

import dev.outbox.internal.payload.Jackson2;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.std.ToEmptyObjectSerializer;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;
import tools.jackson.databind.util.NativeImageUtil;

/**
 * Refuses objects whose content would be lost or exposed, anywhere in a payload. Decides once per class, when the mapper creates its
 * serializer.
 */
final class PayloadRefusal extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    private static final Logger log = LoggerFactory.getLogger(PayloadRefusal.class);

    private static final String MASK = "JsonSerialize";

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private PayloadRefusal() {}

    /** Returns a mapper with the settings of the given one that refuses such objects. */
    static JsonMapper in(JsonMapper mapper) {
        SimpleModule module = new SimpleModule(PayloadRefusal.class.getName());
        return mapper.rebuild()
                .addModule(module.setSerializerModifier(new PayloadRefusal()))
                .build();
    }

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        String refusal = EntityRefusal.of(bean.getBeanClass());
        if (refusal == null && isOfJackson(serializer)) {
            refusal = ofJackson2(bean, serializer);
        }
        if (refusal == null && isEmpty(serializer)) {
            refusal = lostContent(config, bean);
        }
        return refusal == null ? serializer : new Refused(refusal);
    }

    @Override
    public ValueSerializer<?> modifyCollectionSerializer(
            SerializationConfig config,
            CollectionType type,
            BeanDescription.Supplier bean,
            ValueSerializer<?> serializer) {
        return modifySerializer(config, bean, serializer);
    }

    @Override
    public ValueSerializer<?> modifyMapSerializer(
            SerializationConfig config, MapType type, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        return modifySerializer(config, bean, serializer);
    }

    /** A serializer of the application or of a module knows what it does. */
    private static boolean isOfJackson(ValueSerializer<?> serializer) {
        return serializer.getClass().getName().startsWith("tools.jackson.databind.ser.");
    }

    private @Nullable String ofJackson2(BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        if (Jackson2.isValue(type) && (isEmpty(serializer) || serializer instanceof BeanSerializerBase)) {
            return type.getName()
                    + " belongs to Jackson 2, and this mapper of Jackson 3 would store its getters; publish a"
                    + " tools.jackson.databind.JsonNode, a map or a record";
        }
        SortedSet<String> ignored = Jackson2.ignored(bean.getClassInfo().annotations());
        Set<String> unmasked = new TreeSet<>(ignored.contains(MASK) ? Set.of("the class") : Set.of());
        for (Iterator<PropertyWriter> properties = serializer.properties(); properties.hasNext(); ) {
            PropertyWriter property = properties.next();
            if (property.getMember() != null) {
                SortedSet<String> names = Jackson2.ignored(property.getMember().annotations());
                ignored.addAll(names);
                if (names.contains(MASK)) {
                    unmasked.add("'" + property.getName() + "'");
                }
            }
        }
        if (!unmasked.isEmpty()) {
            return type.getName() + " has the @JsonSerialize of Jackson 2 on " + String.join(", ", unmasked)
                    + ", which this mapper of Jackson 3 ignores, so what it masks would be stored in clear; use "
                    + Jackson2.SUCCESSORS + MASK;
        }
        if (!ignored.isEmpty() && warned.add(type.getName())) {
            log.warn(
                    "{} has annotations of Jackson 2, which the mapper of payloads ignores: {}. Use those of the same name in {}"
                            + " (logged once per class)",
                    type.getName(),
                    ignored,
                    Jackson2.SUCCESSORS + "*");
        }
        return null;
    }

    private static boolean isEmpty(ValueSerializer<?> serializer) {
        return serializer instanceof ToEmptyObjectSerializer
                || (serializer instanceof BeanSerializerBase
                        && !serializer.properties().hasNext());
    }

    /** A class without fields has nothing to lose, and a class that ignores its properties says so. */
    private static @Nullable String lostContent(SerializationConfig config, BeanDescription.Supplier bean) {
        Class<?> type = bean.getBeanClass();
        boolean lost = hasFields(type) || NativeImageUtil.needsReflectionConfiguration(type);
        return lost && !hasIgnored(config, bean.getClassInfo())
                ? type.getName()
                        + " has no property that Jackson can read, so it would be stored as {}; make it a record,"
                        + " or give it getters"
                : null;
    }

    private static boolean hasIgnored(SerializationConfig config, AnnotatedClass type) {
        AnnotationIntrospector annotations = config.getAnnotationIntrospector();
        return Stream.concat(
                        StreamSupport.stream(type.fields().spliterator(), false),
                        StreamSupport.stream(type.memberMethods().spliterator(), false))
                .anyMatch((member) -> annotations.hasIgnoreMarker(config, member));
    }

    private static boolean hasFields(@Nullable Class<?> type) {
        return type != null
                && (Arrays.stream(type.getDeclaredFields())
                                .anyMatch((field) -> !Modifier.isStatic(field.getModifiers()))
                        || hasFields(type.getSuperclass()));
    }

    private static final class Refused extends ValueSerializer<Object> {

        private final String refusal;

        Refused(String refusal) {
            this.refusal = refusal;
        }

        @Override
        public void serialize(Object value, JsonGenerator json, SerializationContext context) {
            throw DatabindException.from(json, refusal);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator json, SerializationContext context, TypeSerializer type) {
            serialize(value, json, context);
        }
    }
}
