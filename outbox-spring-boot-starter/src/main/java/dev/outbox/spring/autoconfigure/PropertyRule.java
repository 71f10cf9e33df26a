package dev.outbox.spring.autoconfigure;

import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Names the property whose value breaks a rule of the core. The first word of a core message is the component: "component rule: value". */
final class PropertyRule {

    private static final Pattern UNIFORM = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private PropertyRule() {}

    /** Converts the value of one property. */
    static <V extends @Nullable Object, T> T check(String property, V value, Function<V, T> setting) {
        try {
            return setting.apply(value);
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(ex.getMessage()), ex);
        }
    }

    /** Converts the properties below a prefix to a settings record. */
    static <T> T checkAll(String prefix, Supplier<T> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException ex) {
            String message = String.valueOf(ex.getMessage());
            String component = message.substring(0, Math.max(message.indexOf(' '), 0));
            String value = message.substring(message.lastIndexOf(": ") < 0 ? 0 : message.lastIndexOf(": ") + 2);
            throw new InvalidConfigurationPropertyValueException(
                    prefix + "." + DataObjectPropertyName.toDashedForm(component), value, message, ex);
        }
    }

    /** Returns the key of a map entry, in brackets if relaxed binding would change the name. */
    static String key(String prefix, String name) {
        return UNIFORM.matcher(name).matches() ? prefix + "." + name : prefix + "[" + name + "]";
    }
}
