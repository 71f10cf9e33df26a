package dev.outbox.internal.payload;

import dev.outbox.EventType;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Classes that the payload parameter of a handler stands for: itself, or the permitted classes of a sealed type. Immutable. */
public final class PayloadClasses {

    private static final String FIX =
            "; take a record, or make the type sealed and its permitted types records, or take a JsonNode or an EventEnvelope"
                    + " and set eventTypes";

    private final Class<?> parameter;
    private final boolean sealed;
    private final Map<String, Member> byEventType = new LinkedHashMap<>();

    /** Concrete class, and the event type that it stands for. */
    record Member(Class<?> type, DeclaredType declared) {}

    private PayloadClasses(Class<?> parameter) {
        this.parameter = parameter;
        this.sealed = isSealed(parameter);
        if (sealed) {
            add(parameter);
        } else {
            if (isOpen(parameter)) {
                throw refused(parameter, "is " + kind(parameter) + ", so its event types are not known");
            }
            DeclaredType declared = DeclaredType.of(parameter);
            byEventType.put(declared.name(), new Member(parameter, declared));
        }
    }

    /**
     * Finds the classes of a parameter. The message of the {@link IllegalArgumentException} follows the words "takes" or "payload type".
     */
    public static PayloadClasses of(Class<?> parameter) {
        return new PayloadClasses(parameter);
    }

    private void add(Class<?> type) {
        if (type.getTypeParameters().length > 0) {
            throw refused(type, "has type parameters, so the classes of its payloads are not known");
        }
        if (isSealed(type)) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                add(permitted);
            }
        }
        boolean concrete = !Modifier.isAbstract(type.getModifiers()) || type.isEnum();
        if (!concrete && isSealed(type)) {
            if (type.isAnnotationPresent(EventType.class)) {
                throw refused(type, "has an @EventType, which only a class that is published can have");
            }
            return;
        }
        if (!concrete || !(Modifier.isFinal(type.getModifiers()) || isSealed(type) || type.isEnum())) {
            throw refused(type, "is non-sealed, so its subclasses and their event types are not known");
        }
        DeclaredType declared = DeclaredType.of(type);
        Member other = byEventType.putIfAbsent(declared.name(), new Member(type, declared));
        if (other != null && other.type() != type) {
            throw new IllegalArgumentException(parameter.getName() + ", whose permitted types "
                    + other.type().getName() + " and " + type.getName() + " both stand for event type "
                    + declared.name() + "; name another type with @EventType");
        }
    }

    private IllegalArgumentException refused(Class<?> type, String reason) {
        String what = type == parameter ? " " : ", whose permitted type " + type.getName() + " ";
        return new IllegalArgumentException(
                parameter.getName() + (type == parameter ? ", which " : what) + reason + FIX);
    }

    private static String kind(Class<?> type) {
        return type.isInterface() ? "an interface" : "an abstract class";
    }

    /** An enum whose constants have bodies counts as sealed for the JVM. */
    private static boolean isSealed(Class<?> type) {
        return type.isSealed() && !type.isEnum() && !JsonNode.class.isAssignableFrom(type);
    }

    /** Jackson knows classes for the abstract types of the JDK, such as lists and maps. */
    private static boolean isOpen(Class<?> type) {
        boolean concrete = !Modifier.isAbstract(type.getModifiers()) || type.isEnum();
        return !concrete
                && !type.isPrimitive()
                && !type.isArray()
                && !type.getName().startsWith("java.")
                && !JsonNode.class.isAssignableFrom(type);
    }

    /** Returns the event types that the classes stand for. */
    public Set<String> eventTypes() {
        return byEventType.keySet();
    }

    /** Returns the concrete classes. */
    public Collection<Class<?>> concrete() {
        return byEventType.values().stream().<Class<?>>map(Member::type).toList();
    }

    /** Returns whether payloads of an event type can be decoded: only the class of a sealed type depends on the event type. */
    public boolean takes(String eventType) {
        return !sealed || byEventType.containsKey(eventType);
    }

    /** Returns the class of an event type's payloads; {@code null} if no permitted class stands for it. */
    @Nullable
    Class<?> classOf(String eventType) {
        Member member = byEventType.get(eventType);
        return member != null ? member.type() : sealed ? null : parameter;
    }

    /** Returns the version that the class has of an event type; {@code null} if the class stands for another type. */
    @Nullable
    Integer versionOf(String eventType) {
        Member member = byEventType.get(eventType);
        return member == null || parameter == JsonNode.class
                ? null
                : Integer.valueOf(member.declared().version());
    }
}
