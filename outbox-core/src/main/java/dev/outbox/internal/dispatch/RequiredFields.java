package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks that the payload of an event has every field that its record requires. Safe for use by many threads. */
final class RequiredFields {

    private static final Logger log = LoggerFactory.getLogger(RequiredFields.class);

    private final MissingFields policy;
    private final PayloadShapes shapes;
    private final Set<Warned> warned = ConcurrentHashMap.newKeySet();

    RequiredFields(MissingFields policy, PayloadShapes shapes) {
        this.policy = policy;
        this.shapes = shapes;
    }

    private record Warned(String handlerId, String eventType) {}

    /** Checks a decoded payload. Reads the JSON again only if a required component is null, to tell an absent field from a null. */
    void check(HandlerDefinition handler, EventEnvelope envelope, Object payload) throws UndecodableException {
        if (policy == MissingFields.IGNORE || !payload.getClass().isRecord()) {
            return;
        }
        PayloadShape shape = shapes.of(payload.getClass());
        List<PayloadShape.Field> absent = shape.nullIn(payload);
        if (absent.isEmpty() || !envelope.payload().startsWith("{")) {
            return;
        }
        Warned warning = new Warned(handler.id(), envelope.eventType());
        if (policy == MissingFields.WARN && warned.contains(warning)) {
            return;
        }
        List<String> missing = shape.missing(absent, shapes.fieldsOf(envelope.payload()));
        if (!missing.isEmpty()) {
            report(
                    envelope,
                    warning,
                    "the payload lacks " + new FieldNames(missing) + " of "
                            + payload.getClass().getName());
        }
    }

    private void report(EventEnvelope envelope, Warned warning, String lack) throws UndecodableException {
        if (policy == MissingFields.FAIL) {
            throw UndecodableException.mismatch(
                    lack + "; mark what may be missing @Nullable, or set outbox.payload.missing-fields to warn");
        }
        if (warned.add(warning)) {
            log.warn(
                    "{} gets null for missing fields of {}: {}; mark what may be missing @Nullable, or set"
                            + " outbox.payload.missing-fields to fail (logged once per handler and event type)",
                    warning.handlerId(),
                    envelope,
                    lack);
        }
    }
}
