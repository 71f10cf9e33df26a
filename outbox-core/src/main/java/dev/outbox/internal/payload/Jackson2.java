package dev.outbox.internal.payload;

import java.lang.annotation.Annotation;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.ClassUtils;

/** What Jackson 2 would use of a class, and Jackson 3 ignores. Knows the types of Jackson 2 by their names. */
public final class Jackson2 {

    /** Package of the annotations that both versions have, each in its own; those of jackson-annotations serve both. */
    public static final String ANNOTATIONS = "com.fasterxml.jackson.databind.annotation.";

    /** Package of the same annotations in Jackson 3. */
    public static final String SUCCESSORS = "tools.jackson.databind.annotation.";

    private static final Set<String> VALUES =
            Set.of("com.fasterxml.jackson.core.TreeNode", "com.fasterxml.jackson.databind.JsonSerializable");

    private Jackson2() {}

    /** Returns whether a class writes its own JSON, but only for Jackson 2, as its tree nodes do. */
    public static boolean isValue(Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .anyMatch((one) -> VALUES.contains(one.getName()));
    }

    /** Returns the simple names of annotations that stand there without their twins of Jackson 3. */
    public static SortedSet<String> ignored(Stream<Annotation> annotations) {
        Set<String> names = annotations
                .map((annotation) -> annotation.annotationType().getName())
                .collect(Collectors.toSet());
        return names.stream()
                .filter((name) -> name.startsWith(ANNOTATIONS))
                .map((name) -> name.substring(ANNOTATIONS.length()))
                .filter((name) -> !names.contains(SUCCESSORS + name))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
