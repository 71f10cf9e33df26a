package dev.outbox.sample.operations;

/** Value of an alert, and whether it exceeds the threshold. */
record Alert(String name, double value, double threshold, boolean firing) {

    Alert(String name, double value, double threshold) {
        this(name, value, threshold, value > threshold);
    }
}
