package dev.outbox.internal.publish;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * Refuses JPA entities anywhere in a payload: the event would hold what their mapping loads, and columns such as the hash of a password. Knows
 * the types of JPA and Hibernate by their names.
 */
final class EntityRefusal extends ValueSerializerModifier {

    private static final long serialVersionUID = 1L;

    private static final Set<String> ENTITIES = Set.of("jakarta.persistence.Entity", "javax.persistence.Entity");
    private static final String PROXY = "org.hibernate.proxy.HibernateProxy";

    private EntityRefusal() {}

    /** Returns a mapper with the settings of the given one that writes no entity. */
    static JsonMapper in(JsonMapper mapper) {
        SimpleModule module = new SimpleModule(EntityRefusal.class.getName());
        return mapper.rebuild()
                .addModule(module.setSerializerModifier(new EntityRefusal()))
                .build();
    }

    /** Returns why objects of a class cannot be published; {@code null} if they can. */
    static @Nullable String of(Class<?> type) {
        boolean proxy = Arrays.stream(type.getInterfaces())
                .anyMatch((one) -> one.getName().equals(PROXY));
        Class<?> real = proxy ? type.getSuperclass() : type;
        return proxy || isEntity(real)
                ? real.getName() + " is a JPA entity" + (proxy ? ", behind a Hibernate proxy" : "")
                        + ", so its lazy associations and internal columns would be stored with the event; publish a"
                        + " record of the values that handlers need, and put @JsonIgnore on a property that holds an"
                        + " entity"
                : null;
    }

    private static boolean isEntity(@Nullable Class<?> type) {
        return type != null
                && ENTITIES.stream().anyMatch(MergedAnnotations.from(type, SearchStrategy.SUPERCLASS)::isPresent);
    }

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        String refusal = of(bean.getBeanClass());
        return refusal == null ? serializer : new Refused(refusal);
    }

    private static final class Refused extends ValueSerializer<Object> {

        private final String refusal;

        Refused(String refusal) {
            this.refusal = refusal;
        }

        @Override
        public void serialize(Object entity, JsonGenerator json, SerializationContext context) {
            throw DatabindException.from(json, refusal);
        }
    }
}
