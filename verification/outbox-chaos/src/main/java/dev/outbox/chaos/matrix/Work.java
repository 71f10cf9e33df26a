package dev.outbox.chaos.matrix;

/**
 * Payload of an event.
 *
 * @param number number of the event in its process
 * @param fails whether the first attempt fails
 * @param millis how long a handler takes
 */
record Work(int number, boolean fails, int millis) {

    static final String TYPE = "Work";

    static Work quick(int number) {
        return new Work(number, false, 0);
    }

    static Work failing(int number, int millis) {
        return new Work(number, true, millis);
    }

    static Work slow(int number, int millis) {
        return new Work(number, false, millis);
    }
}
