package dev.outbox.spring.autoconfigure.outboxed;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.Outboxed;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Class marked {@link Outboxed}, and how the outbox stores its events. */
public final class OutboxedType {

    private final Outboxed mark;
    private final PropertyPath aggregateId;
    private final @Nullable PropertyPath sequence;

    private OutboxedType(Class<?> type, Outboxed mark) {
        this.mark = mark;
        this.aggregateId = PropertyPath.of("aggregateId", mark.aggregateId(), type);
        this.sequence = mark.sequence().isEmpty() ? null : PropertyPath.of("sequence", mark.sequence(), type);
        AggregateIds.requirePossible(aggregateId);
        if (sequence != null) {
            Sequences.requirePossible(sequence);
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

    /** Returns whether the events have a sequence of the application. */
    public boolean hasSequence() {
        return sequence != null;
    }

    /** Returns the methods that read the aggregate id and the sequence. */
    public List<Method> accessors() {
        return Stream.concat(
                        aggregateId.accessors().stream(),
                        sequence == null ? Stream.empty() : sequence.accessors().stream())
                .distinct()
                .toList();
    }

    /** Reads the properties of an event. Throws an {@link InvalidEventException} if one is missing or of the wrong kind. */
    public OutboxEvent read(Object event) {
        OutboxEvent read = OutboxEvent.of(mark.aggregateType(), AggregateIds.of(aggregateId, event), event);
        if (!mark.stream().isEmpty()) {
            read = read.inStream(mark.stream());
        }
        return sequence == null ? read : read.withSequence(Sequences.of(sequence, event));
    }

    /** Returns the class of an event, and its aggregate if it has one, for a message. */
    public String describe(Object event) {
        String type = event.getClass().getName();
        try {
            return type + " of " + mark.aggregateType() + "/" + AggregateIds.of(aggregateId, event);
        } catch (InvalidEventException ex) {
            return type;
        }
    }
}
