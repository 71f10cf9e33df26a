package dev.outbox.internal.payload;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** JSON fields that a payload class expects, because it reads them and never omits them when it is written; and all that it writes. */
record PayloadShape(Class<?> type, List<Field> expected, Set<String> written, boolean ignoresCase) {

    /** Expected field with all its names, and the accessor of its record component if that must not be null. */
    record Field(String name, List<String> names, @Nullable Method required) {

        private boolean isRequiredButNullIn(Object payload) {
            try {
                return required != null && required.invoke(payload) == null;
            } catch (IllegalAccessException | InvocationTargetException ex) {
                return false;
            }
        }
    }

    /** Returns the shape of a class that takes every field, or that Jackson does not read property by property. */
    static PayloadShape expectingNothing(Class<?> type) {
        return new PayloadShape(type, List.of(), Set.of(), false);
    }

    /** Returns the names of the expected fields that an object lacks. */
    List<String> missingIn(Collection<String> present) {
        return missing(expected, present);
    }

    List<String> missing(List<Field> fields, Collection<String> present) {
        Set<String> found = ignoresCase ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : new HashSet<>();
        found.addAll(present);
        return fields.stream()
                .filter((field) -> field.names().stream().noneMatch(found::contains))
                .map(Field::name)
                .toList();
    }

    /** Returns the required fields of a record that are null in an instance of it. */
    List<Field> nullIn(Object payload) {
        List<Field> found = List.of();
        for (Field field : expected) {
            if (field.isRequiredButNullIn(payload)) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                found.add(field);
            }
        }
        return found;
    }
}
