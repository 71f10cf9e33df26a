package dev.outbox.spring.autoconfigure.outboxed;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.Outboxed;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Class marked {@link Outboxed}, and how the outbox stores its events. */
public final class OutboxedType {

    private static final Set<Class<?>> SEQUENCES = Set.of(Long.class, Integer.class, Short.class, Byte.class);

    /** Types whose text never changes, because ids are stored. */
    private static final Set<Class<?>> IDS =
            Set.of(UUID.class, Long.class, Integer.class, Short.class, Byte.class, BigInteger.class, Character.class);

    private static final String NO_ID =
            ", whose text is no stable id; name a text, a UUID, an integral number or an enum constant, such as '{path}.value'";
    private static final String NO_SEQUENCE =
            " and cannot order events; name an integral number, such as a @Version of type long";

    private final Outboxed mark;
    private final @Nullable PropertyPath aggregateId;
    private final @Nullable PropertyPath sequence;

    private OutboxedType(Class<?> type, Outboxed mark) {
        this.mark = mark;
        this.aggregateId =
                mark.aggregateId().isEmpty() ? null : PropertyPath.of("aggregateId", mark.aggregateId(), type);
        this.sequence = mark.sequence().isEmpty() ? null : PropertyPath.of("sequence", mark.sequence(), type);
        if (mark.aggregateType().isEmpty() != (aggregateId == null) || (aggregateId == null && sequence != null)) {
            throw new InvalidEventException(
                    "@Outboxed of " + type.getName() + " names "
                            + (aggregateId != null
                                    ? "an aggregateId without an aggregateType"
                                    : (sequence != null ? "a sequence" : "an aggregateType")
                                            + " without an aggregateId")
                            + "; name aggregateType and aggregateId, or neither of them nor a sequence if the event needs no order");
        }
        if (aggregateId != null) {
            requirePossible(aggregateId, OutboxedType::isId, NO_ID);
        }
        if (sequence != null) {
            requirePossible(sequence, SEQUENCES::contains, NO_SEQUENCE);
        }
    }

    /**
     * Returns how to store the events of a class, or {@code null} if neither the class nor a supertype is marked. Throws an
     * {@link InvalidEventException} if the mark is ambiguous or names a property that does not exist.
     */
    public static @Nullable OutboxedType of(Class<?> type) {
        List<MergedAnnotation<Outboxed>> marks = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream(
                        Outboxed.class)
                .toList();
        List<MergedAnnotation<Outboxed>> nearest = marks.stream()
                .filter((mark) -> marks.stream().noneMatch((other) -> isNearer(other, mark)))
                .toList();
        if (nearest.isEmpty()) {
            return null;
        }
        List<Map<String, Object>> different =
                nearest.stream().map(MergedAnnotation::asMap).distinct().toList();
        if (different.size() > 1) {
            throw new InvalidEventException(type.getName() + " inherits different @Outboxed annotations from "
                    + nearest.stream()
                            .map((mark) -> source(mark).getName())
                            .distinct()
                            .sorted()
                            .collect(Collectors.joining(" and "))
                    + "; annotate the class itself");
        }
        return new OutboxedType(type, nearest.get(0).synthesize());
    }

    private static boolean isNearer(MergedAnnotation<Outboxed> other, MergedAnnotation<Outboxed> mark) {
        Class<?> one = source(other);
        Class<?> two = source(mark);
        return one == two ? other.getDistance() < mark.getDistance() : two.isAssignableFrom(one);
    }

    /** Search of a type hierarchy finds annotations of types only. */
    private static Class<?> source(MergedAnnotation<Outboxed> mark) {
        return mark.getSource() instanceof Class<?> type ? type : Object.class;
    }

    /** Returns whether the events need no order. */
    public boolean isUnordered() {
        return aggregateId == null;
    }

    /** Returns whether the events have a sequence of the application. */
    public boolean hasSequence() {
        return sequence != null;
    }

    /** Reads the properties of an event. Throws an {@link InvalidEventException} if one is missing or of the wrong kind. */
    public OutboxEvent read(Object event) {
        OutboxEvent read = aggregateId == null
                ? OutboxEvent.unordered(event)
                : OutboxEvent.of(mark.aggregateType(), aggregateId(aggregateId, event), event);
        if (!mark.stream().isEmpty()) {
            read = read.inStream(mark.stream());
        }
        return sequence == null
                ? read
                : read.withSequence(((Number) value(sequence, event, SEQUENCES::contains, NO_SEQUENCE)).longValue());
    }

    /** Throws an {@link InvalidEventException} if an event names other values than the mark of its payload. */
    public void requireSame(OutboxEvent event) {
        if (aggregateId == null) {
            requireSame(event, "aggregate type", OutboxEvent.UNORDERED, event.aggregateType());
        } else {
            requireSame(event, "aggregate type", mark.aggregateType(), event.aggregateType());
            requireSame(event, "aggregate id", aggregateId(aggregateId, event.payload()), event.aggregateId());
        }
        if (!mark.stream().isEmpty()) {
            requireSame(event, "stream", mark.stream(), event.stream());
        }
        if (sequence != null && (event.deliverAfter() != null || event.deliverAt() != null)) {
            throw new InvalidEventException(
                    "@Outboxed of " + event.payload().getClass().getName()
                            + " names a sequence, which a scheduled event cannot have; schedule an event of another class, in an"
                            + " aggregate type of its own, such as " + mark.aggregateType() + "-reminder");
        }
        if (sequence != null && event.sequence() == null) {
            requireSame(event, "sequence", "that of '" + sequence.path() + "'", null);
        }
    }

    private static void requireSame(OutboxEvent event, String name, String marked, @Nullable String given) {
        if (!marked.equals(given)) {
            throw new InvalidEventException(
                    "@Outboxed of " + event.payload().getClass().getName() + " names the "
                            + name + " " + marked + ", but the event has " + (given == null ? "none" : given)
                            + "; publish the object alone, so that the annotation determines it");
        }
    }

    /** Returns the class of an event, and its aggregate if it has one, for a message. */
    public String describe(Object event) {
        String type = event.getClass().getName();
        try {
            return aggregateId == null
                    ? type
                    : type + " of " + mark.aggregateType() + "/" + aggregateId(aggregateId, event);
        } catch (InvalidEventException ex) {
            return type;
        }
    }

    private static String aggregateId(PropertyPath property, Object event) {
        Object value = value(property, event, OutboxedType::isId, NO_ID);
        return value instanceof Enum<?> constant ? constant.name() : value.toString();
    }

    private static boolean isId(Class<?> type) {
        return CharSequence.class.isAssignableFrom(type) || Enum.class.isAssignableFrom(type) || IDS.contains(type);
    }

    /** Refuses a property whose declared class excludes an allowed value. */
    private static void requirePossible(PropertyPath property, Predicate<Class<?>> allowed, String refusal) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(property.type());
        if (Modifier.isFinal(type.getModifiers()) && !allowed.test(type)) {
            throw refused(property, type, refusal);
        }
    }

    private static Object value(PropertyPath property, Object event, Predicate<Class<?>> allowed, String refusal) {
        Object value = property.read(event);
        if (!allowed.test(value.getClass())) {
            throw refused(property, value.getClass(), refusal);
        }
        return value;
    }

    private static InvalidEventException refused(PropertyPath property, Class<?> type, String refusal) {
        return new InvalidEventException(
                property + " is of " + type.getName() + refusal.replace("{path}", property.path()));
    }
}
