package dev.outbox.sample.tour;

import java.util.regex.Pattern;

/**
 * Compares what the tour shows with what came. An ellipsis stands for one value, or in brackets for any list of them; how wide columns are,
 * and how much space is between words, does not count.
 */
final class TourOutput {

    private static final String VALUE = "[^\\s\",{}\\[\\]|]+";
    private static final String LIST = "\\[[^\\[\\]]*\\]";
    private static final String OBJECTS = "\\[\\{.*\\}\\]";
    private static final String MEMBERS = ".*";

    private TourOutput() {}

    static boolean matches(String shown, String actual) {
        return Pattern.matches(pattern(shown), normal(actual));
    }

    private static String pattern(String shown) {
        return Pattern.quote(normal(shown))
                .replace("[{…}]", "\\E" + OBJECTS + "\\Q")
                .replace("[…]", "\\E" + LIST + "\\Q")
                .replace(",…}", ",\\E" + MEMBERS + "\\Q}")
                .replace(",…,\"", ",\\E" + MEMBERS + "\\Q,\"")
                .replace("…", "\\E" + VALUE + "\\Q");
    }

    private static String normal(String text) {
        return text.replaceAll("-{2,}", "--").replaceAll("\\s+", " ").strip();
    }
}
