package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;

/** Event as JSON, written and parsed without a library for speed. */
final class Payload {

    private Payload() {}

    static String write(AccountChanged event) {
        return "{\"number\":" + event.number() + ",\"key\":" + event.key() + ",\"seq\":" + event.seq() + ",\"note\":\""
                + event.note() + "\"}";
    }

    static AccountChanged read(String json) {
        return new AccountChanged(
                Integer.parseInt(between(json, "{\"number\":", ",")),
                Integer.parseInt(between(json, ",\"key\":", ",")),
                Long.parseLong(between(json, ",\"seq\":", ",")),
                between(json, ",\"note\":\"", "\""));
    }

    private static String between(String json, String before, String after) {
        int begin = json.indexOf(before) + before.length();
        return json.substring(begin, json.indexOf(after, begin));
    }
}
