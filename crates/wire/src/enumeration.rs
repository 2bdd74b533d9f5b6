//! Macro that declares an enum of the model with its names on the wire.
//!
//! An unknown name in a request is no type fault: it leaves the member absent and marks the
//! request as suspect, so that the constraint check reports it.

/// Declares an enum: its type, its names, and how to read or write it.
macro_rules! enumeration {
    (read and written $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $crate::enumeration::enumeration! { written $name { $($variant = $text,)+ } }

        impl $crate::json::decode::JavaType for $name {
            fn append_java_type(name: &mut String) {
                name.push_str("java.lang.String");
            }
        }

        impl<'a> $crate::json::decode::Decode<'a> for $name {
            fn decode(
                parser: &mut $crate::json::parser::Parser<'a>,
                _position: $crate::json::decode::Position,
            ) -> Result<Option<Self>, $crate::json::decode::Fault> {
                let text = parser.string_value()?;
                let value = Self::from_wire(&text);
                parser.suspect_if(value.is_none());
                Ok(value)
            }
        }
    };
    (written $name:ident { $($variant:ident = $text:literal,)+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($variant,)+
        }

        impl $name {
            /// Every value, in the order of the model.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Returns the value of a name on the wire.
            pub fn from_wire(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl $crate::json::encode::Encode for $name {
            fn encode(&self, out: &mut Vec<u8>) {
                $crate::json::writer::write_plain_string(out, self.as_str());
            }
        }
    };
}

pub(crate) use enumeration;
