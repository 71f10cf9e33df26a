package dev.outbox.sample.operations;

/** A figure, and whether it is above its threshold. */
record Alert(String name, double value, double threshold, boolean firing) {

    Alert(String name, double value, double threshold) {
        this(name, value, threshold, value > threshold);
    }
}
