package dev.outbox.internal.publish;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Recognizes JPA entities: the event would hold what their mapping loads, and columns such as the hash of a password. Knows the types of JPA
 * and Hibernate by their names.
 */
final class EntityRefusal {

    private static final Set<String> ENTITIES = Set.of("jakarta.persistence.Entity", "javax.persistence.Entity");
    private static final String PROXY = "org.hibernate.proxy.HibernateProxy";

    private EntityRefusal() {}

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
}
