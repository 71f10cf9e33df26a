package dev.outbox.internal.payload;

import dev.outbox.EventEnvelope;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.failure.Redaction;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.KotlinDetector;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

/** Decodes payloads, refuses those with a field that looks renamed, and warns of missing ones. Safe for use by many threads. */
public final class PayloadReader {

    private static final Logger log = LoggerFactory.getLogger(PayloadReader.class);

    /** The message of Kotlin's check quotes nothing of the payload. */
    private static final Pattern KOTLIN_NULL =
            Pattern.compile("Parameter specified as non-null is null: method .*, parameter (\\w+)");

    /** The two messages that Jackson has for a primitive, which quote nothing of the payload. */
    private static final Pattern NULL_PRIMITIVE = Pattern.compile("Cannot (map|coerce) `null` ");

    private static final String KOTLIN_MODULE = "tools.jackson.module.kotlin.KotlinModule";

    private static final int MOST_CONSTANTS = 20;

    private final JsonMapper mapper;
    private final UnreadableTypes unreadable;
    private final PayloadFields fields;
    private final Upcasters upcasters;
    private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();
    private final Map<Class<?>, PayloadClasses> classes = new ConcurrentHashMap<>();
    private final Set<List<String>> warnings = ConcurrentHashMap.newKeySet();

    /** Creates a reader with the mapper of the payloads. Throws an exception if the upcasters of an event type form no chain. */
    public PayloadReader(JsonMapper mapper, Collection<EventUpcaster> upcasters) {
        this.mapper = mapper;
        this.unreadable = new UnreadableTypes(mapper);
        this.fields = new PayloadFields(mapper);
        this.upcasters = new Upcasters(upcasters);
    }

    /** Checks that the upcasters lead to the versions of the handlers' classes, and warns of those that no handler needs. */
    public void requireVersionsOf(Collection<HandlerDefinition> handlers, Collection<Set<String>> subscriptions) {
        upcasters.requireVersionsOf(handlers, subscriptions);
    }

    /** Checks that the mapper can read the classes of the handlers: otherwise each of their events would be a dead letter. */
    public void requireReadable(Collection<HandlerDefinition> handlers) {
        for (HandlerDefinition handler : handlers) {
            Class<?> parameter = handler.payloadType();
            if (parameter == null || parameter == JsonNode.class) {
                continue;
            }
            for (Class<?> type : PayloadClasses.of(parameter).concrete()) {
                String problem = unreadable.in(type);
                if (problem != null) {
                    throw new OutboxConfigurationException(
                            "handler '" + handler.id() + "' takes " + type.getName()
                                    + ", which can be stored and never read, so each event would be a dead letter: "
                                    + problem,
                            needsKotlinModule(mapper, parameter)
                                    ? "add the dependency tools.jackson.module:jackson-module-kotlin"
                                    : "add @JsonTypeInfo to an abstract type, a constructor or factory that Jackson can call to a"
                                            + " class, or a @JsonCreator of a text to the key of a map",
                            null);
                }
            }
        }
    }

    /** Returns whether a class is Kotlin's and the mapper lacks the module that knows its defaults, null checks and value classes. */
    public static boolean needsKotlinModule(JsonMapper mapper, Class<?> type) {
        return KotlinDetector.isKotlinType(type)
                && mapper.registeredModules().stream()
                        .noneMatch((module) -> module.getClass().getName().equals(KOTLIN_MODULE));
    }

    /** Decoded payload with the fields that it lacks. */
    record Decoded(Object payload, List<String> missing) {}

    /** Returns the payload of an event, not decoded yet. */
    public EventPayload of(EventEnvelope envelope) {
        return new EventPayload(envelope);
    }

    /** Payload of one event, decoded once per class. */
    public final class EventPayload {

        private final EventEnvelope envelope;
        private final Map<Class<?>, Decoded> decoded = new HashMap<>();
        private int version;
        private String json;

        private EventPayload(EventEnvelope envelope) {
            this.envelope = envelope;
            this.version = envelope.schemaVersion();
            this.json = envelope.payload();
        }

        /**
         * Returns the argument of a handler: the decoded payload in the version of its class, or the stored envelope if the handler takes
         * no payload.
         */
        public Object decode(HandlerDefinition handler) throws UndecodableException {
            Class<?> parameter = handler.payloadType();
            if (parameter == null) {
                return envelope;
            }
            PayloadClasses taken = classes.computeIfAbsent(parameter, PayloadClasses::of);
            Class<?> type = taken.classOf(envelope.eventType());
            if (type == null) {
                throw UndecodableException.unreadable(
                        "no permitted type of " + parameter.getName() + " stands for " + envelope.eventType());
            }
            Decoded payload = decoded.get(type);
            if (payload == null) {
                payload = read(type, taken.versionOf(envelope.eventType()));
                // A handler can change its JsonNode, so each gets its own.
                if (type != JsonNode.class) {
                    decoded.put(type, payload);
                }
            }
            warnOfMissing(handler, envelope, payload);
            return payload.payload();
        }

        /** Versions without upcasters have one shape; if the class cannot read an older one, they do not. */
        private Decoded read(Class<?> type, @Nullable Integer declared) throws UndecodableException {
            upcast(declared);
            try {
                return PayloadReader.this.read(json, type);
            } catch (UndecodableException ex) {
                throw declared != null
                                && envelope.schemaVersion() < declared
                                && upcasters.newest(envelope.eventType()) == null
                        ? UndecodableException.noUpcaster(envelope, declared, ex)
                        : ex;
            }
        }

        /** One application has one version of a type, so the first upcast serves all handlers. */
        private void upcast(@Nullable Integer declared) throws UndecodableException {
            if (declared != null && envelope.schemaVersion() > declared) {
                throw UndecodableException.newer(envelope, declared);
            }
            Integer newest = declared != null ? declared : upcasters.newest(envelope.eventType());
            if (newest != null && newest > version) {
                json = upcasters.upcast(envelope, newest, mapper);
                version = newest;
            }
        }
    }

    private void warnOfMissing(HandlerDefinition handler, EventEnvelope envelope, Decoded decoded) {
        if (!decoded.missing().isEmpty() && warnings.add(List.of(handler.id(), envelope.eventType()))) {
            log.warn(
                    "{} gets null for missing fields of {}: {}; mark what may be missing @Nullable (logged once per handler and"
                            + " event type)",
                    handler.id(),
                    envelope,
                    UndecodableException.lack(
                            decoded.missing(), decoded.payload().getClass()));
        }
    }

    Decoded read(String json, Class<?> type) throws UndecodableException {
        Set<String> unknown = new LinkedHashSet<>();
        try {
            Object payload = type == JsonNode.class
                    ? mapper.readTree(json)
                    : reader(type, unknown).readValue(json);
            if (payload == null) {
                throw UndecodableException.unreadable("the payload is null");
            }
            List<String> missing = fields.missing(json, payload);
            if (!missing.isEmpty()) {
                List<String> unknownFields = fields.unknown(unknown, json, payload);
                if (!unknownFields.isEmpty()) {
                    throw UndecodableException.renamed(payload.getClass(), missing, unknownFields);
                }
            }
            return new Decoded(payload, missing);
        } catch (JacksonException ex) {
            // Not the mapper's message, which may quote the payload.
            throw UndecodableException.unreadable(
                    "the payload does not fit " + type.getName() + " at " + Redaction.path(ex) + ": " + reason(ex));
        }
    }

    /** Describes the class, never the data. */
    private String reason(JacksonException ex) {
        if (ex instanceof InvalidDefinitionException definition && definition.getType() != null) {
            String reason = unreadable.reason(definition.getType().getRawClass());
            if (reason != null) {
                return reason;
            }
        }
        if (ex instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            Class<?> wanted = mismatch.getTargetType();
            if (ex instanceof InvalidNullException missing
                    && ex.getClass().getSimpleName().startsWith("Kotlin")) {
                return "the Kotlin parameter '" + missing.getPropertyName().getSimpleName()
                        + "' has no value and may not be null; give it a default or make it nullable";
            }
            if (NULL_PRIMITIVE.matcher(ex.getOriginalMessage()).lookingAt()) {
                return "the value is missing or null, which " + wanted.getName()
                        + " cannot be; take the wrapper class with @Nullable";
            }
            if (wanted.isEnum()) {
                return "the value is no constant of " + wanted.getName() + ", which has " + constants(wanted);
            }
            return ex.getClass().getSimpleName() + ", where " + wanted.getTypeName() + " is expected";
        }
        Throwable cause = ex.getCause();
        Matcher kotlin = KOTLIN_NULL.matcher(String.valueOf(cause == null ? null : cause.getMessage()));
        return kotlin.matches()
                ? "the Kotlin parameter '" + kotlin.group(1)
                        + "' has no value and may not be null; make it nullable, or add"
                        + " tools.jackson.module:jackson-module-kotlin, which applies its default value; then retry"
                : ex.getClass().getSimpleName();
    }

    private static String constants(Class<?> type) {
        Object[] constants = type.getEnumConstants();
        return Arrays.stream(constants)
                        .limit(MOST_CONSTANTS)
                        .map((constant) -> ((Enum<?>) constant).name())
                        .collect(Collectors.joining(", "))
                + (constants.length > MOST_CONSTANTS ? ", …" : "");
    }

    private ObjectReader reader(Class<?> type, Set<String> unknown) {
        return readers.computeIfAbsent(type, (one) -> mapper.readerFor(one).withHandler(fields))
                .withAttribute(PayloadFields.class, unknown);
    }
}
