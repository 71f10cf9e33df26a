package dev.outbox.sample.events;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.StdSerializer;

/** Masks the text of a payload before it is stored, except for its last four characters. */
@Documented
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@JacksonAnnotationsInside
@JsonSerialize(using = Masked.Serializer.class)
@interface Masked {

    /** Writes the masked text. */
    final class Serializer extends StdSerializer<String> {

        private static final int SHOWN = 4;

        Serializer() {
            super(String.class);
        }

        @Override
        public void serialize(String value, JsonGenerator json, SerializationContext context) {
            json.writeString("****" + value.substring(Math.max(0, value.length() - SHOWN)));
        }
    }
}
