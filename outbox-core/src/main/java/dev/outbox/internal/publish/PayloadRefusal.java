package dev.outbox.internal.publish;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
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
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.std.ToEmptyObjectSerializer;
import tools.jackson.databind.util.NativeImageUtil;

/**
 * Refuses objects whose content would be lost or exposed, anywhere in a payload. Decides once per class, when the mapper creates its
 * serializer.
 */
final class PayloadRefusal extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

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
        if (refusal == null && isEmpty(serializer)) {
            refusal = lostContent(config, bean);
        }
        return refusal == null ? serializer : new Refused(refusal);
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
