package dev.outbox.spring.autoconfigure;

import dev.outbox.DeadLetter;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxDeadLetter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/** Methods with {@link OutboxDeadLetter}, by the ids of their handlers. */
final class DeadLetterMethods {

    private static final String ALLOWED = "declare it as void handle(DeadLetter deadLetter)";

    private final Map<String, CalledMethod> methods = new LinkedHashMap<>();

    /** Adds a method. Throws an {@link OutboxConfigurationException} if it breaks a rule. */
    void add(CalledMethod method, String... handlerIds) {
        method.check(ALLOWED);
        method.checkJoinsTransaction("handles dead letters");
        if (!Arrays.equals(method.method().getParameterTypes(), new Class<?>[] {DeadLetter.class})) {
            throw method.refused("has parameters that a dead-letter method cannot have", ALLOWED);
        }
        if (handlerIds.length == 0) {
            throw method.refused("names no handler; name the handlers whose dead letters it takes");
        }
        for (String handlerId : handlerIds) {
            add(method, handlerId);
        }
    }

    private void add(CalledMethod method, String handlerId) {
        CalledMethod other = methods.putIfAbsent(handlerId, method);
        if (other != null) {
            throw new OutboxConfigurationException("two methods handle the dead letters of '" + handlerId + "':\n    "
                    + other + "\n    " + method + "\neach handler has at most one; remove the others");
        }
    }

    /** Gives the handler its method, if there is one. */
    HandlerDefinition attachTo(HandlerDefinition handler) {
        CalledMethod method = methods.remove(handler.id());
        if (method == null) {
            return handler;
        }
        if (handler.deadLetterHandler() != null) {
            throw method.refused(
                    "handles the dead letters of '" + handler.id() + "', whose definition already does; remove one");
        }
        return handler.onDeadLetter(method::invoke);
    }

    /** Fails for a method that has no handler. */
    void requireAllAttached(Iterable<HandlerDefinition> handlers) {
        methods.forEach((id, method) -> {
            TreeSet<String> known = new TreeSet<>();
            handlers.forEach((handler) -> known.add(handler.id()));
            throw method.refused(
                    "names the handler '" + id + "', which this application does not have; name one of " + known);
        });
    }
}
