package dev.outbox.spring.autoconfigure;

import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Names the property whose value breaks a rule of the core. The core's messages read "component rule: value", so the first
 * word is the property.
 */
final class PropertyRule {

    private static final Pattern UNIFORM = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private PropertyRule() {}

    /** Makes one setting of the value of one property. */
    static <V, T> T check(String property, V value, Function<V, T> setting) {
        try {
            return setting.apply(value);
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(ex.getMessage()), ex);
        }
    }

    /** Makes a record of settings of the properties with a prefix. */
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

    /** The name of an entry of a map, in brackets where it would not survive without. */
    static String key(String prefix, String name) {
        return UNIFORM.matcher(name).matches() ? prefix + "." + name : prefix + "[" + name + "]";
    }
}
