import{g as r}from"./chunk-RLH3V6A7.js";function s(e){return r("h1",{children:"Server"})}export{s as Screen};
