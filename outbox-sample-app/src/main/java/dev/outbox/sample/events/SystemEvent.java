package dev.outbox.sample.events;

/** What operators do: published by control in the stream {@code everbit.system.event}, about the aggregate {@code setting}. */
public sealed interface SystemEvent {

    /** A setting has another value, such as the kill switch. */
    record SettingChanged(String key, String value) implements SystemEvent {}
}
