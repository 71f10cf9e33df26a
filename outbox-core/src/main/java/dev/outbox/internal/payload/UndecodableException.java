package dev.outbox.internal.payload;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.failure.Failure;
import java.util.List;
import java.util.stream.Collectors;

/** Payload that does not fit the handler's class, and never will. */
public final class UndecodableException extends Exception {

    private static final long serialVersionUID = 1L;

    private static final int MOST_NAMES = 5;
    private static final int LONGEST_NAME = 60;

    private final String code;

    private UndecodableException(String code, String message) {
        super(message);
        this.code = code;
    }

    /** Payload that Jackson cannot read as the class. */
    static UndecodableException unreadable(String message) {
        return new UndecodableException("UNDECODABLE_PAYLOAD", message);
    }

    /** Payload that Jackson can read as the class, but that was written for another one. */
    static UndecodableException mismatch(String message) {
        return new UndecodableException("PAYLOAD_MISMATCH", message);
    }

    /** Event of a version that a newer version of the application has published. */
    static UndecodableException newer(EventEnvelope envelope, int known) {
        return new UndecodableException(
                "NEWER_VERSION",
                "the event has version " + envelope.schemaVersion() + " of " + envelope.eventType()
                        + ", this application knows " + known + ": deploy the class of version "
                        + envelope.schemaVersion() + " in every instance; retry afterwards");
    }

    /** Event of a version that the chain of upcasters does not read. */
    static UndecodableException noUpcaster(EventEnvelope envelope, int wanted) {
        return new UndecodableException(
                "MISSING_UPCASTER",
                "the event has version " + envelope.schemaVersion() + " of " + envelope.eventType()
                        + ", and no EventUpcaster leads from it to version " + wanted + ": add one; retry afterwards");
    }

    /** Event of an older version that the class does not read, although its type has no upcasters. */
    static UndecodableException noUpcaster(EventEnvelope envelope, int wanted, UndecodableException symptom) {
        UndecodableException missing = noUpcaster(envelope, wanted);
        return new UndecodableException(missing.code, missing.getMessage() + ". Without one, " + symptom.getMessage());
    }

    static UndecodableException renamed(Class<?> type, List<String> missing, List<String> unknown) {
        String first = '"' + shortened(unknown.get(0)) + '"';
        return mismatch("a field looks renamed: " + lack(missing, type) + " and has " + quoted(unknown)
                + ", which the class does not know; put @JsonAlias(" + first
                + ") on the component if it was renamed, or @JsonIgnoreProperties(" + first
                + ") on the class if it is another field; then retry");
    }

    static String lack(List<String> missing, Class<?> type) {
        return "the payload lacks " + quoted(missing) + " of " + type.getName();
    }

    /** Quotes a few field names, shortened: a payload may hold any. */
    private static String quoted(List<String> names) {
        String quoted = names.stream()
                .limit(MOST_NAMES)
                .map((name) -> "'" + shortened(name) + "'")
                .collect(Collectors.joining(", "));
        return names.size() <= MOST_NAMES ? quoted : quoted + " and " + (names.size() - MOST_NAMES) + " more";
    }

    private static String shortened(String name) {
        String printable = name.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= LONGEST_NAME ? printable : printable.substring(0, LONGEST_NAME) + "…";
    }

    /** Returns the failure to store with the delivery. */
    public Failure failure() {
        return new Failure(code, String.valueOf(getMessage()));
    }
}
