package dev.outbox.sample.events;

/** Changes by operators: published by control in the stream {@code everbit.system.event}, aggregate {@code setting}. */
public sealed interface SystemEvent {

    /** A setting was changed, such as the kill switch. */
    record SettingChanged(String key, String value) implements SystemEvent {}
}
