package dev.outbox.internal.payload;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Policy for payloads that lack a field which their record requires. Safe for use by many threads. */
final class RequiredFields {

    private static final Logger log = LoggerFactory.getLogger(RequiredFields.class);

    private final MissingFields policy;
    private final PayloadShapes shapes;
    private final Set<Warning> warnings = ConcurrentHashMap.newKeySet();

    RequiredFields(MissingFields policy, PayloadShapes shapes) {
        this.policy = policy;
        this.shapes = shapes;
    }

    private record Warning(String handlerId, String eventType) {}

    /** Reads the JSON again only if a required component is null, to tell an absent field from a null. */
    void check(HandlerDefinition handler, EventEnvelope envelope, String json, Object payload)
            throws UndecodableException {
        if (policy == MissingFields.IGNORE || !payload.getClass().isRecord()) {
            return;
        }
        PayloadShape shape = shapes.of(payload.getClass());
        List<PayloadShape.Field> absent = shape.nullIn(payload);
        if (absent.isEmpty() || !json.startsWith("{")) {
            return;
        }
        Warning warning = new Warning(handler.id(), envelope.eventType());
        if (policy == MissingFields.WARN && warnings.contains(warning)) {
            return;
        }
        List<String> missing = shape.missing(absent, shapes.fieldsOf(json));
        if (!missing.isEmpty()) {
            report(envelope, warning, UndecodableException.lack(missing, payload.getClass()));
        }
    }

    private void report(EventEnvelope envelope, Warning warning, String lack) throws UndecodableException {
        if (policy == MissingFields.FAIL) {
            throw UndecodableException.mismatch(
                    lack + "; mark what may be missing @Nullable, or set outbox.payload.missing-fields to warn");
        }
        if (warnings.add(warning)) {
            log.warn(
                    "{} gets null for missing fields of {}: {}; mark what may be missing @Nullable, or set"
                            + " outbox.payload.missing-fields to fail (logged once per handler and event type)",
                    warning.handlerId(),
                    envelope,
                    lack);
        }
    }
}
