package dev.outbox.chaos.history;

/** Entity whose events are in order. */
public record Aggregate(String type, String id) {

    static final Aggregate NONE = new Aggregate("", "");

    @Override
    public String toString() {
        return type + "/" + id;
    }
}
