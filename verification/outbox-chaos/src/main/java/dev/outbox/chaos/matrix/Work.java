package dev.outbox.chaos.matrix;

/**
 * Payload of an event.
 *
 * @param number number of the event in its process
 * @param fails whether the first attempt fails
 * @param dies whether the only attempt fails
 * @param millis how long a handler takes
 */
record Work(int number, boolean fails, boolean dies, int millis) {

    static final String TYPE = "Work";

    static Work quick(int number) {
        return new Work(number, false, false, 0);
    }

    static Work failing(int number, int millis) {
        return new Work(number, true, false, millis);
    }

    static Work dying(int number) {
        return new Work(number, false, true, 0);
    }

    static Work slow(int number, int millis) {
        return new Work(number, false, false, millis);
    }
}
